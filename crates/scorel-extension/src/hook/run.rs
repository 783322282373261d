use scorel_exec::ShellExit;
use serde_json::Value;

/// A run of a hook's command.
#[derive(Debug, Clone, PartialEq)]
pub struct HookRun {
    pub input: Value,
    /// `None` if it did not end by itself.
    pub exit: Option<ShellExit>,
    pub stdout: String,
    pub stderr: String,
}

impl HookRun {
    pub(super) fn new(input: &Value) -> Self {
        Self {
            input: input.clone(),
            exit: None,
            stdout: String::new(),
            stderr: String::new(),
        }
    }
}
