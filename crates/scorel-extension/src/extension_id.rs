use std::fmt;
use std::str::FromStr;

use scorel_proto::ClientId;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use crate::Problem;
use crate::short_name::{MAX, is_short_name};

/// Ids that stand for parts of the daemon.
const TAKEN: [&str; 3] = ["hook", "workflow", "scorel"];

/// The id of an extension or plugin, which is the name of its directory: a small letter, then small letters,
/// digits and `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct ExtensionId(String);

impl ExtensionId {
    /// The author of the extension's records. It stays the same, so that a repeated command finds its receipt.
    pub fn client_id(&self, project: &str) -> ClientId {
        let digest = Sha256::digest(format!("extension:{self}:{project}"));
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        ClientId::Client(bytes)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ExtensionId {
    type Error = Problem;

    fn try_from(text: String) -> Result<Self, Problem> {
        if TAKEN.contains(&text.as_str()) {
            let reason =
                format!("`{text}` is not an id for an extension: the daemon uses it itself");
            return Err(Problem::new(reason));
        }
        if is_short_name(&text) {
            return Ok(Self(text));
        }
        Err(Problem::new(format!(
            "the id of an extension has small letters, digits and `-`, begins with a letter, and has at most {MAX} \
             characters"
        )))
    }
}

impl FromStr for ExtensionId {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        text.to_owned().try_into()
    }
}

impl fmt::Display for ExtensionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
