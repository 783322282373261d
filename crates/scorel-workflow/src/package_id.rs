use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// Characters of an id.
const MAX: usize = 32;

/// The id of a package, which is the name of its directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct PackageId(String);

/// The text is not an id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the id of a workflow package has small letters, digits and `-`, begins with a letter, and has at most {MAX} \
     characters"
)]
pub struct PackageIdError;

impl PackageId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PackageId {
    type Err = PackageIdError;

    fn from_str(text: &str) -> Result<Self, PackageIdError> {
        let usual = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
        let begins_well = text.starts_with(|it: char| it.is_ascii_lowercase());
        match begins_well && text.len() <= MAX && text.chars().all(usual) {
            true => Ok(Self(text.to_owned())),
            false => Err(PackageIdError),
        }
    }
}

impl fmt::Display for PackageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
