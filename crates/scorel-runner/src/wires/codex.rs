//! `codex app-server`: JSON-RPC in both directions, one message a line.

mod items;
mod notifications;
mod plain_command;
mod plan;
mod questions;
mod steers;
mod usage;

use scorel_engine::{
    RunnerAccess, RunnerAnswer, RunnerEnd, RunnerError, RunnerErrorKind, RunnerEvent, RunnerInput,
    RunnerOrder,
};
use serde_json::{Value, json};

use self::items::Items;
use self::notifications::is_known;
use self::plan::plan;
use self::questions::Questions;
use self::steers::{AfterTurn, Steers};
use self::usage::usage_of;
use super::json::{owned, text};
use crate::data_url::data_url;
use crate::dialect::{Dialect, not_spoken};
use crate::exchange::Exchange;
use crate::rpc::{Incoming, JsonRpc, METHOD_NOT_FOUND, RpcFailure};
use crate::usage_meter::{UsageMeter, without};

const LOGIN: &str = "log in with `codex login`";

/// What a call of ours was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Initialize,
    Account,
    Thread,
    Turn,
    Steer,
    Interrupt,
}

pub(crate) struct CodexDialect {
    order: RunnerOrder,
    model: Option<String>,
    rpc: JsonRpc<Purpose>,
    version: Option<String>,
    thread: Option<String>,
    /// The id of the running turn, once it is known.
    turn: Option<String>,
    /// An interrupt came before the id was known.
    interrupts: bool,
    steers: Steers,
    items: Items,
    questions: Questions,
    meter: UsageMeter,
    /// True if there is a total to make a difference with.
    is_metered: bool,
}

impl CodexDialect {
    pub(crate) fn new(order: RunnerOrder, model: Option<String>) -> Self {
        Self {
            order,
            model,
            rpc: JsonRpc::new(false),
            version: None,
            thread: None,
            turn: None,
            interrupts: false,
            steers: Steers::default(),
            items: Items::default(),
            questions: Questions::default(),
            meter: UsageMeter::default(),
            is_metered: false,
        }
    }

    fn call(
        &mut self,
        purpose: Purpose,
        method: &str,
        params: &Value,
        out: &mut Exchange,
    ) -> Result<(), RunnerError> {
        let call = self.rpc.call(purpose, method, params)?;
        out.send(&call)
    }

    fn open_thread(&mut self, out: &mut Exchange) -> Result<(), RunnerError> {
        let sandbox = match self.order.access {
            RunnerAccess::ReadOnly => "read-only",
            RunnerAccess::Workspace => "workspace-write",
            RunnerAccess::Full => "danger-full-access",
        };
        let mut params = json!({
            "cwd": self.order.directory,
            "approvalPolicy": "untrusted",
            "sandbox": sandbox,
        });
        if let Some(model) = &self.model {
            params["model"] = json!(model);
        }
        let method = match &self.order.context {
            Some(thread) => {
                params["threadId"] = json!(thread);
                params["excludeTurns"] = json!(true);
                "thread/resume"
            }
            None => "thread/start",
        };
        self.call(Purpose::Thread, method, &params, out)
    }

    fn answered(
        &mut self,
        purpose: Purpose,
        result: Result<Value, RpcFailure>,
        out: &mut Exchange,
    ) -> Result<(), RunnerError> {
        let result = match (purpose, result) {
            (_, Ok(result)) => result,
            (Purpose::Thread, Err(lost)) if self.order.context.is_some() => {
                return Err(RunnerError::new(RunnerErrorKind::ContextLost, lost.message));
            }
            // The turn has ended by itself.
            (Purpose::Steer, Err(_)) => {
                self.steers.refused();
                return self.go_on(out);
            }
            (Purpose::Interrupt, Err(failure)) => {
                out.notice(failure.message);
                return Ok(());
            }
            (Purpose::Initialize, Err(failure)) => return Err(not_spoken(failure.message)),
            (_, Err(failure)) => {
                return Err(RunnerError::new(RunnerErrorKind::Failed, failure.message));
            }
        };
        match purpose {
            Purpose::Initialize => {
                self.version = version(text(&result, "userAgent"));
                out.send(&self.rpc.notification("initialized", &json!({})))?;
                let params = json!({"refreshToken": false});
                self.call(Purpose::Account, "account/read", &params, out)
            }
            Purpose::Account => {
                if result["account"].is_null() && result["requiresOpenaiAuth"] == true {
                    let message = "codex is not logged in";
                    let error = RunnerError::new(RunnerErrorKind::NotLoggedIn, message);
                    return Err(error.with_hint(LOGIN));
                }
                self.open_thread(out)
            }
            Purpose::Thread => self.thread_opened(&result, out),
            Purpose::Turn => self.turn_started(&result["turn"], out),
            Purpose::Steer => {
                self.steers.taken();
                self.go_on(out)
            }
            Purpose::Interrupt => Ok(()),
        }
    }

    fn thread_opened(&mut self, result: &Value, out: &mut Exchange) -> Result<(), RunnerError> {
        let Some(thread) = result["thread"]["id"].as_str() else {
            let message = "codex opened a thread without an id";
            return Err(RunnerError::new(RunnerErrorKind::Protocol, message));
        };
        self.thread = Some(thread.to_owned());
        out.event(RunnerEvent::Context {
            id: thread.to_owned(),
        });
        if let Some(model) = result["model"].as_str() {
            out.event(RunnerEvent::Model {
                name: model.to_owned(),
            });
        }
        Ok(())
    }

    fn turn_started(&mut self, turn: &Value, out: &mut Exchange) -> Result<(), RunnerError> {
        // The answer and the notification say the same; after the end it is late.
        if self.turn.as_deref() == Some("") {
            self.turn = Some(owned(turn, "id"));
            if std::mem::take(&mut self.interrupts) {
                return self.send_interrupt(out);
            }
        }
        Ok(())
    }

    fn send_interrupt(&mut self, out: &mut Exchange) -> Result<(), RunnerError> {
        let params = json!({"threadId": self.thread, "turnId": self.turn});
        self.call(Purpose::Interrupt, "turn/interrupt", &params, out)
    }

    fn notified(
        &mut self,
        method: &str,
        params: &Value,
        line: &[u8],
        out: &mut Exchange,
    ) -> Result<(), RunnerError> {
        if let Some(thread) = params["threadId"].as_str()
            && self.thread.as_deref() != Some(thread)
        {
            // An agent inside of this one.
            out.event(RunnerEvent::Progress);
            return Ok(());
        }
        match method {
            "turn/started" => return self.turn_started(&params["turn"], out),
            "turn/completed" => return self.turn_ended(&params["turn"], out),
            "turn/plan/updated" => out.event(plan(&params["plan"])),
            "thread/tokenUsage/updated" => self.count(params, out),
            "error" => self.failed(params, out),
            "warning" | "guardianWarning" => out.notice(owned(params, "message")),
            "configWarning" | "deprecationNotice" => out.notice(owned(params, "summary")),
            "model/rerouted" => out.event(RunnerEvent::Model {
                name: owned(params, "toModel"),
            }),
            "serverRequest/resolved" => {
                if let Some(id) = self.questions.resolved(&params["requestId"]) {
                    out.event(RunnerEvent::AskWithdrawn { id });
                }
            }
            _ if method.starts_with("item/") => self.items.notified(method, params, out),
            _ if is_known(method) => {}
            _ => out.unknown(line),
        }
        Ok(())
    }

    fn count(&mut self, params: &Value, out: &mut Exchange) {
        let usage = &params["tokenUsage"];
        let total = usage_of(&usage["total"]);
        // The usage of earlier turns of a resumed thread, which Codex reports under the id of the
        // earlier turn.
        if self.turn.is_none() || self.turn.as_deref() != params["turnId"].as_str() {
            self.meter.set(total);
            self.is_metered = true;
            return;
        }
        if !std::mem::replace(&mut self.is_metered, true) {
            let last = usage_of(&usage["last"]);
            self.meter.set(without(&total, &last, u64::saturating_sub));
        }
        if let Some(spent) = self.meter.add(total, None) {
            out.event(RunnerEvent::Spent(spent));
        }
    }

    fn failed(&self, params: &Value, out: &mut Exchange) {
        let message = owned(&params["error"], "message");
        // An error that ends the turn is repeated at the end of the turn, so report only retries here.
        if params["willRetry"] == true {
            out.notice(message);
        }
    }

    fn turn_ended(&mut self, turn: &Value, out: &mut Exchange) -> Result<(), RunnerError> {
        // A turn that this link did not start, or an earlier one.
        if self.turn.is_none() || self.turn.as_deref() != turn["id"].as_str() {
            return Ok(());
        }
        self.turn = None;
        self.interrupts = false;
        self.items = Items::default();
        self.questions = Questions::default();
        let end = match text(turn, "status") {
            "completed" => {
                self.steers.ended();
                return self.go_on(out);
            }
            "interrupted" => RunnerEnd::Interrupted,
            _ => RunnerEnd::Failed(turn_error(&turn["error"])),
        };
        self.steers = Steers::default();
        out.event(RunnerEvent::End(end));
        Ok(())
    }

    /// After a turn that completed: a message that came too late for it begins another one.
    fn go_on(&mut self, out: &mut Exchange) -> Result<(), RunnerError> {
        match self.steers.next() {
            Some(AfterTurn::Prompt(input)) => self.prompt(input, out),
            Some(AfterTurn::End) => {
                out.event(RunnerEvent::End(RunnerEnd::Completed));
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn asked(
        &mut self,
        id: &Value,
        method: &str,
        params: &Value,
        out: &mut Exchange,
    ) -> Result<(), RunnerError> {
        let directory = &self.order.directory;
        let question = match method {
            "item/commandExecution/requestApproval" => {
                Some(self.questions.command(id, params, directory))
            }
            "item/fileChange/requestApproval" => {
                let paths = self.items.changed_paths(text(params, "itemId"));
                Some(self.questions.change(id, params, paths))
            }
            _ => None,
        };
        match question {
            Some(Ok(question)) => {
                out.event(RunnerEvent::Ask(question));
                Ok(())
            }
            // Without an answer that holds once, there is only no.
            Some(Err(refused)) => {
                out.notice(refused);
                out.send(&self.rpc.answer(id, &json!({"decision": "decline"})))
            }
            None => {
                out.notice(format!("{method} is not supported"));
                let refusal = self.rpc.refusal(id, METHOD_NOT_FOUND, "not supported");
                out.send(&refusal)
            }
        }
    }
}

impl Dialect for CodexDialect {
    fn open(&mut self, out: &mut Exchange) -> Result<(), RunnerError> {
        let version = env!("CARGO_PKG_VERSION");
        let client = json!({"name": "scorel", "title": "Scorel", "version": version});
        let params = json!({"clientInfo": client});
        self.call(Purpose::Initialize, "initialize", &params, out)
    }

    fn is_open(&self) -> bool {
        self.thread.is_some()
    }

    fn context_id(&self) -> Option<&str> {
        self.thread.as_deref()
    }

    fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    fn receive(&mut self, piece: &[u8], out: &mut Exchange) -> Result<(), RunnerError> {
        match self.rpc.incoming(piece) {
            Incoming::Request { id, method, params } => self.asked(&id, &method, &params, out),
            Incoming::Notification { method, params } => {
                self.notified(&method, &params, piece, out)
            }
            Incoming::Answer { purpose, result } => self.answered(purpose, result, out),
            Incoming::Unknown => {
                out.junk(piece);
                Ok(())
            }
        }
    }

    fn prompt(&mut self, input: Vec<RunnerInput>, out: &mut Exchange) -> Result<(), RunnerError> {
        self.turn = Some(String::new());
        let params = json!({"threadId": self.thread, "input": user_input(&input)});
        self.call(Purpose::Turn, "turn/start", &params, out)
    }

    fn answer(
        &mut self,
        question: &str,
        answer: RunnerAnswer,
        out: &mut Exchange,
    ) -> Result<(), RunnerError> {
        let Some(id) = self.questions.take(question) else {
            return Ok(());
        };
        let decision = match answer {
            RunnerAnswer::Once => "accept",
            RunnerAnswer::No(_) => "decline",
        };
        out.send(&self.rpc.answer(&id, &json!({"decision": decision})))
    }

    /// Before its id is known, a turn cannot be steered.
    fn takes_steers(&self) -> bool {
        self.turn.as_ref().is_some_and(|turn| !turn.is_empty())
    }

    fn steer(&mut self, input: Vec<RunnerInput>, out: &mut Exchange) -> Result<bool, RunnerError> {
        if !self.takes_steers() {
            return Ok(false);
        }
        let params = json!({"threadId": self.thread, "expectedTurnId": self.turn,
            "input": user_input(&input)});
        self.call(Purpose::Steer, "turn/steer", &params, out)?;
        self.steers.sent(input);
        Ok(true)
    }

    fn interrupt(&mut self, out: &mut Exchange) -> Result<bool, RunnerError> {
        match self.turn.as_deref() {
            None => return Ok(false),
            Some("") => self.interrupts = true,
            Some(_) => self.send_interrupt(out)?,
        }
        Ok(true)
    }
}

fn user_input(input: &[RunnerInput]) -> Value {
    let part = |part: &RunnerInput| match part {
        RunnerInput::Text(text) => json!({"type": "text", "text": text, "text_elements": []}),
        RunnerInput::Image { media_type, bytes } => {
            json!({"type": "image", "url": data_url(media_type, bytes)})
        }
    };
    input.iter().map(part).collect()
}

fn turn_error(error: &Value) -> RunnerError {
    let message = match error["message"].as_str() {
        Some(message) => message.to_owned(),
        None => "codex did not say why".to_owned(),
    };
    if error["codexErrorInfo"] == "unauthorized" {
        return RunnerError::new(RunnerErrorKind::NotLoggedIn, message).with_hint(LOGIN);
    }
    RunnerError::new(RunnerErrorKind::Failed, message)
}

/// `scorel/0.169.0 (Debian …)`: our name, its version.
fn version(user_agent: &str) -> Option<String> {
    let version = user_agent.split('/').nth(1)?;
    version.split_whitespace().next().map(str::to_owned)
}
