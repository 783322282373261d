use serde::{Deserialize, Deserializer};

/// Distinguishes `null` (`Some(None)`) from an absent field (`None`), which serde alone does not.
pub(super) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}
