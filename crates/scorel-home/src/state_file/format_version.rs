use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

/// The field `version` of a format: written as `VERSION`, and read as any that is not newer, since
/// newer files are refused before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FormatVersion<const VERSION: u32>;

impl<const VERSION: u32> Serialize for FormatVersion<VERSION> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(VERSION)
    }
}

impl<'de, const VERSION: u32> Deserialize<'de> for FormatVersion<VERSION> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u32::deserialize(deserializer).map(|_| Self)
    }
}
