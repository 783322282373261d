use std::path::{Path, PathBuf};

use serde::de::{Deserialize, Deserializer, Error};

/// A file or directory: an absolute path, or `~/` and one below the home directory. Being checked
/// where it is read, an error has its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place(String);

impl Place {
    /// The path; nothing if it is below a home directory and there is none.
    #[must_use]
    pub fn path(&self, home: Option<&Path>) -> Option<PathBuf> {
        match self.0.strip_prefix("~/") {
            Some(rest) => Some(home?.join(rest)),
            None => Some(PathBuf::from(&self.0)),
        }
    }
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let is_complete = text.starts_with('/') || text.starts_with("~/");
        if is_complete && !text.contains('\0') {
            Ok(Self(text))
        } else {
            Err(D::Error::custom(
                "expected an absolute path, or one that begins with `~/`",
            ))
        }
    }
}
