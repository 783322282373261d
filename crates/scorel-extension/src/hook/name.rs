use std::fmt;

use serde::Deserialize;

use crate::Problem;
use crate::short_name::{MAX, is_short_name};

/// The name of a hook, unique in its file: a small letter, then small letters, digits and `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct HookName(String);

impl HookName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for HookName {
    type Error = Problem;

    fn try_from(text: String) -> Result<Self, Problem> {
        if is_short_name(&text) {
            return Ok(Self(text));
        }
        Err(Problem::new(format!(
            "the name of a hook has small letters, digits and `-`, begins with a letter, and has at most {MAX} \
             characters"
        )))
    }
}

impl fmt::Display for HookName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
