//! `claude -p` with `stream-json` in both directions.

mod stream;
mod tools;

use std::collections::{HashMap, HashSet};

use scorel_engine::{
    RunnerAnswer, RunnerEnd, RunnerError, RunnerErrorKind, RunnerEvent, RunnerInput, RunnerOrder,
    RunnerQuestion, ToolCall, foreign_json,
};
use scorel_process::OutputTail;
use scorel_proto::Usage;
use serde_json::{Value, json};

use self::stream::StreamedParts;
use super::claude_blocks::{blocks, call, call_end};
use super::json::{elements, number, owned, text};
use crate::data_url::base64;
use crate::dialect::Dialect;
use crate::exchange::Exchange;
use crate::usage_meter::UsageMeter;

const LOGIN: &str = "log in with `claude` and `/login`, or name a token with `tokenEnv`";

/// Questions and inner agents that are remembered at a time.
const MAX_OPEN: usize = 256;

/// The id of the handshake. Ours and the program's ids do not meet.
const HANDSHAKE: &str = "scorel-initialize";

pub(crate) struct ClaudeCodeDialect {
    order: RunnerOrder,
    is_open: bool,
    session: Option<String>,
    version: Option<String>,
    /// The inputs of open questions: a yes repeats them.
    questions: HashMap<String, Value>,
    streamed: StreamedParts,
    /// What inner agents have written, by their call.
    agents: HashMap<String, OutputTail>,
    meter: UsageMeter,
    /// Messages sent while it worked, by their ids, that the model has not been given.
    unread: HashSet<String>,
    interrupted: bool,
    /// The account does not work.
    unauthenticated: bool,
    last_request: u64,
}

impl ClaudeCodeDialect {
    pub(crate) fn new(order: RunnerOrder) -> Self {
        Self {
            order,
            is_open: false,
            session: None,
            version: None,
            questions: HashMap::new(),
            streamed: StreamedParts::default(),
            agents: HashMap::new(),
            meter: UsageMeter::default(),
            unread: HashSet::new(),
            interrupted: false,
            unauthenticated: false,
            last_request: 0,
        }
    }

    fn system(&mut self, message: &Value, line: &[u8], out: &mut Exchange) {
        match text(message, "subtype") {
            "init" => {
                self.version = message["claude_code_version"].as_str().map(str::to_owned);
                self.session = message["session_id"].as_str().map(str::to_owned);
                if let Some(id) = self.session.clone() {
                    out.event(RunnerEvent::Context { id });
                }
                out.event(RunnerEvent::Model {
                    name: owned(message, "model"),
                });
            }
            "status" | "thinking_tokens" | "hook_started" => out.event(RunnerEvent::Progress),
            // Such as our own.
            "hook_response" if message["outcome"] == "success" && message["output"] == "" => {
                out.event(RunnerEvent::Progress);
            }
            "compact_boundary" => out.notice("claude compacted its context"),
            _ => out.unknown(line),
        }
    }

    /// A complete message of the model, or a part of one.
    fn assistant(&mut self, message: &Value, out: &mut Exchange) {
        if message["error"] == "authentication_failed" {
            self.unauthenticated = true;
            return;
        }
        for block in blocks(message) {
            match text(block, "type") {
                "text" => self.streamed.text(text(block, "text"), out),
                "thinking" => self.streamed.thinking(text(block, "thinking"), out),
                "tool_use" => out.event(call(block)),
                _ => {}
            }
        }
    }

    /// Results of tools, and what we sent, once the model gets it.
    fn user(&mut self, message: &Value, out: &mut Exchange) {
        if message["isReplay"] == true {
            self.unread.remove(text(message, "uuid"));
            return;
        }
        for block in blocks(message) {
            if text(block, "type") == "tool_result" {
                self.agents.remove(text(block, "tool_use_id"));
                out.event(call_end(block));
            }
        }
    }

    /// A message of an agent inside of a call.
    fn inner(&mut self, call: &str, message: &Value, out: &mut Exchange) {
        // A question about one of its calls has begun that call, so the result has to end it. Those without
        // a question are not known to the turn, which ignores their results.
        for block in blocks(message) {
            if text(block, "type") == "tool_result" {
                out.event(call_end(block));
            }
        }
        if self.agents.len() >= MAX_OPEN && !self.agents.contains_key(call) {
            return;
        }
        let tail = self.agents.entry(call.to_owned()).or_default();
        for block in blocks(message) {
            match text(block, "type") {
                "text" => tail.push(&format!("{}\n", text(block, "text"))),
                "tool_use" => tail.push(&format!("[call of {}]\n", text(block, "name"))),
                _ => {}
            }
        }
        out.event(RunnerEvent::CallUpdate {
            call_id: call.to_owned(),
            partial: json!({"output": tail.text()}),
        });
    }

    fn asked(&mut self, message: &Value, out: &mut Exchange) -> Result<(), RunnerError> {
        let id = owned(message, "request_id");
        let request = &message["request"];
        if text(request, "subtype") != "can_use_tool" {
            out.notice(format!("{} is not supported", text(request, "subtype")));
            let error = json!({"subtype": "error", "request_id": id, "error": "not supported"});
            return out.send(&json!({"type": "control_response", "response": error}));
        }
        if self.questions.len() >= MAX_OPEN || self.questions.contains_key(&id) {
            let message = "claude asks too many questions, or two under one id";
            return Err(RunnerError::new(RunnerErrorKind::Protocol, message));
        }
        let (name, input) = (text(request, "tool_name"), &request["input"]);
        self.questions.insert(id.clone(), input.clone());
        out.event(RunnerEvent::Ask(RunnerQuestion {
            id,
            call: ToolCall {
                id: owned(request, "tool_use_id"),
                name: name.to_owned(),
                input: input.clone(),
                invalid_input: None,
            },
            action: tools::action(name, input, &self.order.directory),
            reason: request["decision_reason"].as_str().map(str::to_owned),
        }));
        Ok(())
    }

    fn result(&mut self, message: &Value, out: &mut Exchange) -> Result<(), RunnerError> {
        let usage = total_usage(&message["modelUsage"]);
        if let Some(spent) = self.meter.add(usage, message["total_cost_usd"].as_f64()) {
            out.event(RunnerEvent::Spent(spent));
        }
        let error = errors(message);
        if number(message, "num_turns") == 0 && error.starts_with("No conversation found") {
            return Err(RunnerError::new(RunnerErrorKind::ContextLost, error));
        }
        if !self.is_open {
            return Err(RunnerError::new(RunnerErrorKind::Failed, error));
        }
        let is_success = text(message, "subtype") == "success" && message["is_error"] != true;
        // A message that came too late for this round begins another one.
        if is_success && !self.unread.is_empty() && !self.interrupted {
            out.event(RunnerEvent::Progress);
            return Ok(());
        }
        let end = self.end(message, is_success, error);
        self.unread.clear();
        self.interrupted = false;
        self.questions.clear();
        self.agents.clear();
        self.streamed = StreamedParts::default();
        out.event(RunnerEvent::End(end));
        Ok(())
    }

    fn end(&self, message: &Value, is_success: bool, error: String) -> RunnerEnd {
        let kind = if self.unauthenticated {
            RunnerErrorKind::NotLoggedIn
        } else {
            RunnerErrorKind::Failed
        };
        match text(message, "subtype") {
            _ if is_success && message["stop_reason"] == "max_tokens" => {
                RunnerEnd::Limit("max_tokens".to_owned())
            }
            _ if is_success => RunnerEnd::Completed,
            _ if self.interrupted => RunnerEnd::Interrupted,
            "error_max_turns" => RunnerEnd::Limit("max_turn_requests".to_owned()),
            "error_max_budget_usd" => RunnerEnd::Limit("max_budget".to_owned()),
            _ => {
                let failure = RunnerError::new(kind, error);
                RunnerEnd::Failed(if self.unauthenticated {
                    failure.with_hint(LOGIN)
                } else {
                    failure
                })
            }
        }
    }

    fn say(
        &self,
        input: &[RunnerInput],
        id: Option<&str>,
        out: &mut Exchange,
    ) -> Result<(), RunnerError> {
        let part = |part: &RunnerInput| match part {
            RunnerInput::Text(text) => json!({"type": "text", "text": text}),
            RunnerInput::Image { media_type, bytes } => json!({
                "type": "image",
                "source": {"type": "base64", "media_type": media_type, "data": base64(bytes)},
            }),
        };
        let content: Vec<Value> = input.iter().map(part).collect();
        let mut message = json!({
            "type": "user",
            "message": {"role": "user", "content": content},
            "parent_tool_use_id": null,
            "session_id": self.session.as_deref().unwrap_or_default(),
        });
        if let Some(id) = id {
            message["uuid"] = json!(id);
        }
        out.send(&message)
    }
}

impl Dialect for ClaudeCodeDialect {
    /// With the handshake a lost session shows before the prompt is sent.
    fn open(&mut self, out: &mut Exchange) -> Result<(), RunnerError> {
        self.session.clone_from(&self.order.context);
        let mut request = json!({"subtype": "initialize", "hooks": null});
        if let Some(text) = &self.order.instructions {
            request["appendSystemPrompt"] = json!(text);
        }
        let message = json!({
            "type": "control_request", "request_id": HANDSHAKE, "request": request,
        });
        out.send(&message)
    }

    fn is_open(&self) -> bool {
        self.is_open
    }

    fn context_id(&self) -> Option<&str> {
        self.session.as_deref()
    }

    fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    fn receive(&mut self, piece: &[u8], out: &mut Exchange) -> Result<(), RunnerError> {
        let Ok(message) = foreign_json::<Value>(piece) else {
            out.junk(piece);
            return Ok(());
        };
        if let Some(call) = message["parent_tool_use_id"].as_str() {
            self.inner(call, &message, out);
            return Ok(());
        }
        match text(&message, "type") {
            "system" => self.system(&message, piece, out),
            "stream_event" => self.streamed.event(&message["event"], out),
            "assistant" => self.assistant(&message, out),
            "user" => self.user(&message, out),
            "result" => return self.result(&message, out),
            "control_request" => return self.asked(&message, out),
            "control_cancel_request" => {
                let id = owned(&message, "request_id");
                if self.questions.remove(&id).is_some() {
                    out.event(RunnerEvent::AskWithdrawn { id });
                }
            }
            "control_response" => self.is_open |= message["response"]["request_id"] == HANDSHAKE,
            "keep_alive" => {}
            _ => out.unknown(piece),
        }
        Ok(())
    }

    fn prompt(&mut self, input: Vec<RunnerInput>, out: &mut Exchange) -> Result<(), RunnerError> {
        self.unauthenticated = false;
        self.say(&input, None, out)
    }

    fn answer(
        &mut self,
        question: &str,
        answer: RunnerAnswer,
        out: &mut Exchange,
    ) -> Result<(), RunnerError> {
        let Some(input) = self.questions.remove(question) else {
            return Ok(());
        };
        let decision = match answer {
            RunnerAnswer::Once => json!({"behavior": "allow", "updatedInput": input}),
            RunnerAnswer::No(reason) => json!({"behavior": "deny", "message": reason}),
        };
        let response = json!({"subtype": "success", "request_id": question, "response": decision});
        out.send(&json!({"type": "control_response", "response": response}))
    }

    fn takes_steers(&self) -> bool {
        true
    }

    fn steer(&mut self, input: Vec<RunnerInput>, out: &mut Exchange) -> Result<bool, RunnerError> {
        let id = random_uuid();
        self.say(&input, Some(&id), out)?;
        self.unread.insert(id);
        Ok(true)
    }

    fn interrupt(&mut self, out: &mut Exchange) -> Result<bool, RunnerError> {
        self.interrupted = true;
        self.last_request += 1;
        let id = format!("scorel-{}", self.last_request);
        let request = json!({"subtype": "interrupt"});
        out.send(&json!({"type": "control_request", "request_id": id, "request": request}))?;
        Ok(true)
    }
}

/// It is kept in the session's transcript, so it is never used again.
fn random_uuid() -> String {
    const VERSION: u128 = 0xf << 76;
    const VARIANT: u128 = 0xc << 60;
    let random: u128 = rand::random();
    let id = (random & !VERSION & !VARIANT) | (0x4 << 76) | (0x8 << 60);
    let text = format!("{id:032x}");
    let (a, rest) = text.split_at(8);
    let (b, rest) = rest.split_at(4);
    let (c, rest) = rest.split_at(4);
    let (d, e) = rest.split_at(4);
    format!("{a}-{b}-{c}-{d}-{e}")
}

/// What a failed turn says of its failure.
fn errors(message: &Value) -> String {
    let errors = elements(&message["errors"]).iter();
    let errors: Vec<&str> = errors.filter_map(Value::as_str).collect();
    match (errors.as_slice(), message["result"].as_str()) {
        ([], Some(result)) => result.to_owned(),
        ([], None) => format!("claude ended with {}", text(message, "subtype")),
        (errors, _) => errors.join("\n"),
    }
}

/// The tokens of the process so far, by all models.
fn total_usage(models: &Value) -> Usage {
    let mut total = Usage::default();
    for (_, model) in models.as_object().into_iter().flatten() {
        let read = number(model, "cacheReadInputTokens");
        let written = number(model, "cacheCreationInputTokens");
        let fresh = number(model, "inputTokens");
        total += Usage {
            input_tokens: fresh.saturating_add(read).saturating_add(written),
            output_tokens: number(model, "outputTokens"),
            cache_read_tokens: read,
            cache_write_tokens: written,
            reasoning_tokens: 0,
        };
    }
    total
}
