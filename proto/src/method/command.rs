//! Methods about commands: texts that a user sends by their names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CommandId, ProjectId, SendMessageResult, SessionId, SkillSource, WhileRunning};

/// Parameters of `listCommands`: one of the two, or neither for the user's own.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListCommandsParams {
    /// Also the commands of the project of this session.
    pub session_id: Option<SessionId>,
    /// Also the commands of this project.
    pub project_id: Option<ProjectId>,
}

/// Result of `listCommands`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListCommandsResult {
    /// The commands that can be run, by name.
    pub commands: Vec<CommandInfo>,
}

/// A command that can be run.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandInfo {
    /// The name, without the slash. That of a plugin's or an extension's command is `<id>:<command>`, that of a prompt
    /// `mcp__<server>__<prompt>`.
    pub name: String,
    /// Its purpose, on one line; may be empty.
    pub description: String,
    /// The arguments that it takes, for people.
    pub argument_hint: Option<String>,
    /// The kind.
    pub kind: CommandKind,
    /// The place that it comes from.
    pub source: SkillSource,
    /// The arguments, of a prompt of an MCP server; absent for other kinds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<CommandArgument>,
    /// The wishes of its text that are not met here, such as `allowed-tools`. Absent: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<String>,
}

/// An argument of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommandArgument {
    /// Its name.
    pub name: String,
    /// Its purpose, on one line; may be empty.
    pub description: String,
    /// True if the prompt cannot be sent without it.
    pub required: bool,
}

/// The kind of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommandKind {
    /// A text of a plugin, which becomes the message.
    Plugin,
    /// A command of an extension: a text, or its program is asked.
    Extension,
    /// A skill, which the message has the model load.
    Skill,
    /// A prompt of an MCP server, which is asked for the message.
    Prompt,
    /// A workflow, by the id of its package. `startRun` starts a run of it, once its plan was shown; `runCommand` does
    /// not.
    Workflow,
    /// One that this version does not know.
    #[serde(other)]
    Other,
}

/// Parameters of `runCommand`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunCommandParams {
    /// The session.
    pub session_id: SessionId,
    /// The name, without the slash.
    pub name: String,
    /// The text behind the name. Absent: none. That of a prompt has words, or `name=value`, in the order of its arguments;
    /// quotes keep words together, and a prompt with one argument gets the whole text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub arguments: String,
    /// The treatment of the message if a turn is running or messages are queued; absent: `followUp`.
    pub while_running: Option<WhileRunning>,
    /// As in `sendMessage`.
    pub model: Option<String>,
    /// As in `sendMessage`.
    pub runner: Option<String>,
    /// Makes the call idempotent: the message of the first call counts, also if the command's text has changed
    /// since. Until there is one, a repeated call asks the extension's program or the server again. Requires a `clientId`; see `hello`.
    pub command_id: Option<CommandId>,
}

/// Result of `runCommand`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunCommandResult {
    /// The message that the command stands for, as `sendMessage` answers it. Absent: the command of an
    /// extension has sent none.
    pub message: Option<SendMessageResult>,
    /// The answer of an extension's program to the user. No model reads it, and it is not kept: a repeated call whose
    /// message was accepted before has none.
    pub reply: Option<String>,
}
