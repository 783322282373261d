use serde::Deserialize;
use serde_json::Value;

/// The answer of a program to a command of a user.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CommandReply {
    /// Sent in the user's name.
    pub message: Option<String>,
    /// For the user alone.
    pub reply: Option<String>,
}

impl CommandReply {
    /// Reads the result of `command.run`; `null` is one without a word.
    ///
    /// # Errors
    /// The mistake in it.
    pub fn read(result: Value) -> Result<Self, String> {
        let read = serde_json::from_value::<Option<Self>>(result);
        read.map(Option::unwrap_or_default)
            .map_err(|error| format!("its answer is not that of a command: {error}"))
    }
}
