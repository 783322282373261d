//! Requests for approval.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use scorel_engine::{RunnerAction, RunnerQuestion, ToolCall};
use serde_json::{Value, json};

use super::super::json::{owned, text};
use super::plain_command::plain_command;

/// Questions that may be open at a time.
const MAX_OPEN: usize = 256;

/// The ids of open requests, by the names of their questions.
#[derive(Debug, Default)]
pub(super) struct Questions {
    open: HashMap<String, Value>,
}

impl Questions {
    /// A question about a command.
    ///
    /// # Errors
    /// Why it is refused.
    pub(super) fn command(
        &mut self,
        id: &Value,
        params: &Value,
        directory: &Path,
    ) -> Result<RunnerQuestion, String> {
        let offered = params["availableDecisions"].as_array();
        if offered.is_some_and(|offered| !offered.contains(&json!("accept"))) {
            return Err("codex offers no answer that holds once".to_owned());
        }
        let is_plain = matches!(text(params, "kind"), "" | "command")
            && params["networkApprovalContext"].is_null();
        let shown = plain_command(&params["command"]);
        let command = shown.as_str().filter(|_| is_plain);
        let action = match command {
            Some(command) => RunnerAction::Command {
                command: command.to_owned(),
                directory: params["cwd"]
                    .as_str()
                    .map_or(directory, Path::new)
                    .to_owned(),
            },
            None => RunnerAction::Untold {
                tool: "commandExecution".to_owned(),
            },
        };
        let mut input = json!({"command": shown, "cwd": params["cwd"]});
        if !is_plain {
            input["kind"] = params["kind"].clone();
            input["network"] = params["networkApprovalContext"].clone();
        }
        self.ask(id, params, "commandExecution", input, action)
    }

    /// A question about changes of files.
    ///
    /// # Errors
    /// Why it is refused.
    pub(super) fn change(
        &mut self,
        id: &Value,
        params: &Value,
        paths: &[PathBuf],
    ) -> Result<RunnerQuestion, String> {
        let root = params["grantRoot"].as_str();
        // A root is more than this one change.
        let action = if root.is_some() || paths.is_empty() {
            let tool = "fileChange".to_owned();
            RunnerAction::Untold { tool }
        } else {
            let paths = paths.to_vec();
            RunnerAction::Write { paths }
        };
        let input = json!({"paths": paths, "grantRoot": root});
        self.ask(id, params, "fileChange", input, action)
    }

    /// The request that a question stands for.
    pub(super) fn take(&mut self, question: &str) -> Option<Value> {
        self.open.remove(question)
    }

    /// The question that an answered request was, unless the answer was ours.
    pub(super) fn resolved(&mut self, id: &Value) -> Option<String> {
        let question = id.to_string();
        self.open.remove(&question).map(|_| question)
    }

    fn ask(
        &mut self,
        id: &Value,
        params: &Value,
        tool: &str,
        input: Value,
        action: RunnerAction,
    ) -> Result<RunnerQuestion, String> {
        let question = id.to_string();
        if self.open.len() >= MAX_OPEN {
            return Err("codex asks too many questions at a time".to_owned());
        }
        if self.open.insert(question.clone(), id.clone()).is_some() {
            return Err("codex asks two questions under one id".to_owned());
        }
        Ok(RunnerQuestion {
            id: question,
            call: ToolCall {
                id: owned(params, "itemId"),
                name: tool.to_owned(),
                input,
                invalid_input: None,
            },
            action,
            reason: params["reason"].as_str().map(str::to_owned),
        })
    }
}
