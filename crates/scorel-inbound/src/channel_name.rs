use std::fmt;

use scorel_extension::is_short_name;
use serde::Deserialize;

/// The name of a channel, or of a schedule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct ChannelName(String);

/// A text that names no channel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a name of a channel: it has small letters, digits and `-`, begins with a letter, and has at most 32 characters"
)]
pub struct InvalidChannelName(String);

impl ChannelName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ChannelName {
    type Error = InvalidChannelName;

    fn try_from(text: String) -> Result<Self, InvalidChannelName> {
        match is_short_name(&text) {
            true => Ok(Self(text)),
            false => Err(InvalidChannelName(text)),
        }
    }
}

impl fmt::Display for ChannelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
