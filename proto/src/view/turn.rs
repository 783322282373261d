use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AssistantMessage, Block, EventId, ToolResultMessage, ToolStartedBody, TurnId, TurnWaitingBody,
    Usage,
};

/// What a session is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing.
    #[default]
    Idle,
    /// A turn has been accepted and does not run yet.
    Preparing,
    /// A turn is running.
    Running,
    /// A turn waits until somebody allows or refuses a tool call.
    AwaitingPermission,
    /// A turn waits for a moment that is known, for example for a rate limit to pass.
    Waiting,
    /// A turn is being cancelled.
    Cancelling,
    /// The session cannot be used until its trouble is repaired.
    Failed,
}

/// A turn without an outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenTurn {
    /// The turn.
    pub turn_id: TurnId,
    /// When its first event was made, in milliseconds since 1970.
    pub started_at: u64,
    /// Whether its runtime has started.
    pub running: bool,
    /// What it waits for.
    pub waiting: Option<TurnWaitingBody>,
    /// Whether it was interrupted before and went on. That happens once.
    #[serde(default)]
    pub resumed: bool,
    /// How many assistant messages it has.
    pub steps: u32,
    /// What its model calls have used.
    pub usage: Usage,
    /// The tool calls without a result, in call order.
    pub calls: Vec<OpenCall>,
}

/// A tool call without a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenCall {
    /// The call.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// The id of the result to come, once the call has started.
    pub started: Option<EventId>,
}

impl OpenTurn {
    pub(super) fn new(turn_id: TurnId, started_at: u64) -> Self {
        Self {
            turn_id,
            started_at,
            running: false,
            waiting: None,
            resumed: false,
            steps: 0,
            usage: Usage::default(),
            calls: Vec::new(),
        }
    }

    /// The turn goes on: after waiting, or else after having been interrupted.
    pub(super) fn go_on(&mut self) {
        if self.waiting.take().is_none() {
            self.resumed = true;
        }
    }

    pub(super) fn answered(&mut self, message: &AssistantMessage) {
        self.steps += 1;
        self.usage += message.usage.unwrap_or_default();
        if message.partial {
            return;
        }
        self.calls
            .extend(message.tool_uses().filter_map(|block| match block {
                Block::ToolUse { id, name, .. } => Some(OpenCall {
                    tool_call_id: id.clone(),
                    tool_name: name.clone(),
                    started: None,
                }),
                _ => None,
            }));
    }

    /// Some models use an id twice in one message: then the first call that has not started is
    /// meant.
    pub(super) fn tool_started(&mut self, body: &ToolStartedBody) {
        let call = self
            .calls
            .iter_mut()
            .find(|call| call.tool_call_id == body.tool_call_id && call.started.is_none());
        if let Some(call) = call {
            call.started = Some(body.event_id);
        }
    }

    pub(super) fn tool_ended(&mut self, message: &ToolResultMessage) {
        let id = &message.result().tool_use_id;
        if let Some(index) = self.calls.iter().position(|call| &call.tool_call_id == id) {
            self.calls.remove(index);
        }
    }
}
