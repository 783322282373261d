use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    AssistantMessage, Block, CostTotal, EventId, FileBefore, HookPoint, MessageChannel,
    PermissionDecisionBody, PermissionRequestBody, ToolResultMessage, ToolStartedBody, TurnId,
    TurnWaitingBody, Usage, UserMessage, WaitKind,
};

/// The activity of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing.
    #[default]
    Idle,
    /// A turn has been accepted and does not run yet, or the conversation is being summarised.
    Preparing,
    /// A turn is running.
    Running,
    /// A turn waits for the answer to a permission request.
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
    /// True if its runtime has started.
    pub running: bool,
    /// The reason for the wait.
    pub waiting: Option<TurnWaitingBody>,
    /// True if it was interrupted before and went on. That happens once.
    #[serde(default)]
    pub resumed: bool,
    /// True if records of it may be lost: a client accepted damage while it was open.
    #[serde(default)]
    pub has_hole: bool,
    /// Since when it waits: for a moment or for a decision.
    #[serde(default)]
    pub paused_at: Option<u64>,
    /// The time that it has waited before, in milliseconds.
    #[serde(default)]
    pub paused_ms: u64,
    /// The number of its assistant messages.
    pub steps: u32,
    /// The number of its waits for a rate limit.
    #[serde(default)]
    pub waits: u32,
    /// The tokens of its model calls.
    pub usage: Usage,
    /// Their cost.
    #[serde(default)]
    pub cost: CostTotal,
    /// The records that hooks have made for the coming model call.
    #[serde(default)]
    pub hooked: u32,
    /// The times that hooks have made it go on when it was at its end.
    #[serde(default)]
    pub went_on: u32,
    /// The channel whose message started it, which caps what it may do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<MessageChannel>,
    /// The tool calls without a result, in call order.
    pub calls: Vec<OpenCall>,
}

/// A tool call without a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenCall {
    /// The call.
    pub tool_call_id: String,
    /// The tool, as the last record about the call names it: the message, the question, or the start. The message may
    /// name `ToolCall`, the others the tool that it calls.
    pub tool_name: String,
    /// The arguments, by the same record. Hooks change them after the message.
    pub input: Value,
    /// The arguments as the model wrote them, if they are not a JSON object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invalid_input: Option<String>,
    /// The id of the result to come, once the call has started.
    pub started: Option<EventId>,
    /// The runner that executes the call itself. Recovery never runs such a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran_by: Option<String>,
    /// The files that it was about to change then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileBefore>,
    /// The decision about `asked`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<PermissionDecisionBody>,
    /// The last permission request about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<PermissionRequestBody>,
}

impl OpenCall {
    /// Takes the tool's name from a later record. A runner's records have names of their own.
    fn named(&mut self, tool: &str) {
        if self.ran_by.is_none() {
            tool.clone_into(&mut self.tool_name);
        }
    }
}

impl OpenTurn {
    pub(super) fn new(turn_id: TurnId, started_at: u64) -> Self {
        Self {
            turn_id,
            started_at,
            running: false,
            waiting: None,
            resumed: false,
            has_hole: false,
            paused_at: None,
            paused_ms: 0,
            steps: 0,
            waits: 0,
            usage: Usage::default(),
            cost: CostTotal::default(),
            hooked: 0,
            went_on: 0,
            channel: None,
            calls: Vec::new(),
        }
    }

    /// The running time at `now` (milliseconds since the Unix epoch), in milliseconds. Time spent
    /// waiting does not count.
    pub fn elapsed_ms(&self, now: u64) -> u64 {
        let end = self.paused_at.unwrap_or(now);
        let all = end.saturating_sub(self.started_at);
        all.saturating_sub(self.paused_ms)
    }

    /// Returns whether it was left to the next daemon at a step boundary, and that has not gone on with it.
    pub fn is_parked(&self) -> bool {
        let kind = self.waiting.as_ref().and_then(|waiting| waiting.kind);
        kind == Some(WaitKind::Restart)
    }

    /// Returns whether another daemon could go on with it without running a call twice: none of
    /// the open calls has started.
    pub fn is_at_rest(&self) -> bool {
        let has_begun = |call: &OpenCall| call.started.is_some() || call.ran_by.is_some();
        !self.has_hole && !self.calls.iter().any(has_begun)
    }

    /// A message of the turn. None of a channel is a steer, so one that came through a channel started the turn.
    pub(super) fn told(&mut self, message: &UserMessage) {
        if self.channel.is_none() {
            self.channel = message.meta.channel.as_deref().cloned();
        }
    }

    pub(super) fn pause(&mut self, now: u64) {
        self.paused_at.get_or_insert(now);
    }

    pub(super) fn unpause(&mut self, now: u64) {
        if let Some(since) = self.paused_at.take() {
            self.paused_ms += now.saturating_sub(since);
        }
    }

    /// Continues after a wait, or after an interruption if the turn did not wait.
    pub(super) fn go_on(&mut self) {
        if self.waiting.take().is_none() {
            self.resumed = true;
        }
    }

    pub(super) fn answered(&mut self, message: &AssistantMessage) {
        self.steps += 1;
        self.hooked = 0;
        if message.partial {
            return;
        }
        let runner = message.meta.runner.as_ref();
        self.calls
            .extend(message.tool_uses().filter_map(|block| match block {
                Block::ToolUse {
                    id,
                    name,
                    input,
                    invalid_input,
                    ..
                } => Some(OpenCall {
                    tool_call_id: id.clone(),
                    tool_name: name.clone(),
                    input: input.clone(),
                    invalid_input: invalid_input.clone(),
                    started: None,
                    ran_by: runner.map(|runner| runner.name.clone()),
                    files: Vec::new(),
                    decision: None,
                    asked: None,
                }),
                _ => None,
            }));
    }

    pub(super) fn hooked(&mut self, point: Option<HookPoint>) {
        self.hooked = self.hooked.saturating_add(1);
        if point == Some(HookPoint::End) {
            self.went_on = self.went_on.saturating_add(1);
        }
    }

    /// Some models use an id twice in one message, so this is the first call with the id that has not
    /// started.
    pub(super) fn tool_started(&mut self, body: &ToolStartedBody) {
        let call = self
            .calls
            .iter_mut()
            .find(|call| call.tool_call_id == body.tool_call_id && call.started.is_none());
        if let Some(call) = call {
            call.started = Some(body.event_id);
            call.named(&body.tool_name);
            call.files.clone_from(&body.files);
            if let Some(input) = &body.input {
                call.input.clone_from(input);
            }
            if body.ran_by.is_some() {
                call.ran_by.clone_from(&body.ran_by);
            }
        }
    }

    /// The call that a question is about. A runner asks about a call that it has begun.
    fn waiting_call(&mut self, asked: &PermissionRequestBody) -> Option<&mut OpenCall> {
        self.calls.iter_mut().find(|call| {
            let awaits = call.started.is_none() || call.ran_by.is_some();
            call.tool_call_id == asked.tool_call_id && awaits
        })
    }

    pub(super) fn asked(&mut self, request: &PermissionRequestBody) {
        if let Some(call) = self.waiting_call(request) {
            call.named(&request.tool_name);
            call.input.clone_from(&request.input);
            call.asked = Some(request.clone());
            call.decision = None;
        }
    }

    pub(super) fn decided(
        &mut self,
        asked: PermissionRequestBody,
        decision: &PermissionDecisionBody,
    ) {
        if let Some(call) = self.waiting_call(&asked) {
            call.decision = Some(decision.clone());
            call.asked = Some(asked);
        }
    }

    pub(super) fn tool_ended(&mut self, message: &ToolResultMessage) {
        let id = &message.result().tool_use_id;
        if let Some(index) = self.calls.iter().position(|call| &call.tool_call_id == id) {
            self.calls.remove(index);
        }
    }
}
