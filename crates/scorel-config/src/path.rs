use std::path::{Path, PathBuf};

use serde::de::{Deserialize, Deserializer, Error};

/// A path in a configuration file: absolute, or relative to the user's home with `~/`. Checked while
/// deserializing so that the error has a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigPath(String);

impl ConfigPath {
    /// The path; `None` if it begins with `~/` and the home is unknown.
    pub fn path(&self, home: Option<&Path>) -> Option<PathBuf> {
        match self.0.strip_prefix("~/") {
            Some(rest) => Some(home?.join(rest)),
            None => Some(PathBuf::from(&self.0)),
        }
    }
}

impl<'de> Deserialize<'de> for ConfigPath {
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
