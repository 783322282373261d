use std::fmt;
use std::str::FromStr;

use scorel_extension::is_short_name;
use serde::Deserialize;

/// The longest name of a server in a file of another program.
const MAX_FOREIGN: usize = 64;

/// The name of a server, unique in its file. It is a part of the names of its tools.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct McpServerName(String);

/// A text that names no server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidMcpServerName {
    #[error(
        "the name of a server has small letters, digits and `-`, begins with a letter, and has at most 32 characters"
    )]
    Own,
    #[error(
        "the name of a server has letters, digits, `-`, `_` and `.`, and at most {MAX_FOREIGN} characters"
    )]
    Foreign,
}

impl McpServerName {
    /// The name in a file of another program, which may have more characters than ours.
    ///
    /// # Errors
    /// It could not be shown, or be a part of a tool's name.
    pub fn foreign(text: &str) -> Result<Self, InvalidMcpServerName> {
        let usual = |char: char| char.is_ascii_alphanumeric() || "-_.".contains(char);
        match !text.is_empty() && text.len() <= MAX_FOREIGN && text.chars().all(usual) {
            true => Ok(Self(text.to_owned())),
            false => Err(InvalidMcpServerName::Foreign),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for McpServerName {
    type Error = InvalidMcpServerName;

    fn try_from(text: String) -> Result<Self, InvalidMcpServerName> {
        match is_short_name(&text) {
            true => Ok(Self(text)),
            false => Err(InvalidMcpServerName::Own),
        }
    }
}

impl FromStr for McpServerName {
    type Err = InvalidMcpServerName;

    fn from_str(text: &str) -> Result<Self, InvalidMcpServerName> {
        text.to_owned().try_into()
    }
}

impl fmt::Display for McpServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
