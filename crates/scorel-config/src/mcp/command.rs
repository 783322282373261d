use std::collections::BTreeMap;

use scorel_extension::hook::HookSandbox;
use scorel_home::SecretName;

use crate::{ConfigPath, VariableName, VariableValue};

/// A program that speaks the protocol on its pipes. Secrets are named, not held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpCommand {
    /// Looked up on the `PATH` of commands, or a path.
    pub program: String,
    pub arguments: Vec<String>,
    /// Added to the environment of commands.
    pub env: BTreeMap<VariableName, VariableValue>,
    /// Secrets by the variables under which the program gets them.
    pub secret_env: BTreeMap<VariableName, SecretName>,
    /// `None` is the session's directory.
    pub cwd: Option<ConfigPath>,
    /// `None` is none for the user's, and that of commands without network for a project's.
    pub sandbox: Option<HookSandbox>,
    /// Bytes, if fewer than those of commands.
    pub memory: Option<u64>,
    /// The number of processes, if fewer than those of commands.
    pub processes: Option<u64>,
}

impl McpCommand {
    /// The program with its arguments, for people.
    pub fn line(&self) -> String {
        let words = std::iter::once(&self.program).chain(&self.arguments);
        words.map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}
