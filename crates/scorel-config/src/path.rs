use std::path::{Path, PathBuf};

use serde::Deserialize;

/// A path in a configuration file: absolute, or relative to the user's home with `~/`. Checked while
/// deserializing so that the error has a position.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct ConfigPath(String);

impl ConfigPath {
    /// The path as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path; `None` if it begins with `~/` and the home is unknown.
    pub fn path(&self, home: Option<&Path>) -> Option<PathBuf> {
        match self.0.strip_prefix("~/") {
            Some(rest) => Some(home?.join(rest)),
            None => Some(PathBuf::from(&self.0)),
        }
    }
}

impl TryFrom<String> for ConfigPath {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        let is_complete = text.starts_with('/') || text.starts_with("~/");
        if is_complete && !text.contains('\0') {
            Ok(Self(text))
        } else {
            Err("expected an absolute path, or one that begins with `~/`")
        }
    }
}
