use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The data of a message about tools from outside: what the model knows from it and those before.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ToldNames {
    /// The fingerprint of the set whose tools it was told of.
    pub(crate) set: String,
    /// New tools that it was told of, which are in no set yet.
    #[serde(default)]
    pub(crate) added: Vec<String>,
}

impl ToldNames {
    /// The names that a message has told. Data of another version reads as nothing, and all is told again.
    pub(crate) fn read(data: Option<&Value>) -> Self {
        let told = data.and_then(|data| Self::deserialize(data).ok());
        told.unwrap_or_default()
    }
}
