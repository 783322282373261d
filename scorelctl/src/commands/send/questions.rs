//! The permission requests of the followed turn.

use std::collections::VecDeque;
use std::io::{self, BufRead, IsTerminal};

use scorel_proto::{
    PermissionDecision, PermissionRequestBody, PermissionRequestId, RespondPermissionParams,
    SessionId,
};
use tokio::sync::mpsc;

use crate::args::OnAsk;
use crate::daemon::new_command_id;
use crate::output::Output;
use crate::question::{PermissionReply, describe};

/// The capacity of the channel for typed lines. Lines are discarded before a prompt, so only
/// type-ahead fills it.
const LINES: usize = 16;

const PROMPT: &str = "allow? [y]es, for the [s]ession, [a]lways in this project, [n]o (and why): ";
const PROMPT_SESSION: &str = "allow? [y]es, for the [s]ession, [n]o (and why): ";
const PROMPT_ONCE: &str = "allow? [y]es, [n]o (and why): ";

/// The open permission requests, and how to answer them.
pub(super) struct Questions {
    session_id: SessionId,
    on_ask: OnAsk,
    open: VecDeque<PermissionRequestBody>,
    lines: Option<mpsc::Receiver<String>>,
}

impl Questions {
    /// Without `--on-ask`, prompts if there is a terminal to prompt on, and denies otherwise.
    pub(super) fn new(session_id: SessionId, wished: Option<OnAsk>, output: &Output) -> Self {
        let is_person = io::stdin().is_terminal() && output.err_is_terminal && !output.json;
        let otherwise = if is_person { OnAsk::Ask } else { OnAsk::Deny };
        Self {
            session_id,
            on_ask: wished.unwrap_or(otherwise),
            open: VecDeque::new(),
            lines: None,
        }
    }

    /// Handles a new request. Returns the answer, if `--on-ask` determines it.
    pub(super) fn asked(
        &mut self,
        request: &PermissionRequestBody,
        output: &mut Output,
    ) -> io::Result<Option<RespondPermissionParams>> {
        let is_known = |open: &PermissionRequestBody| open.request_id == request.request_id;
        if self.open.iter().any(is_known) {
            return Ok(None);
        }
        match self.on_ask {
            OnAsk::Deny => {
                if !output.json {
                    note_all(request, output)?;
                    output.note("denied: there is no terminal to ask on (see --on-ask)")?;
                }
                let reason = "no user is available to ask".to_owned();
                let reply = PermissionReply {
                    decision: PermissionDecision::Deny,
                    reason: Some(reason),
                };
                Ok(Some(self.params(request.request_id, reply)))
            }
            OnAsk::Wait => {
                if !output.json {
                    note_all(request, output)?;
                    let id = request.request_id;
                    output.note(&format!("waiting for an answer: `scorelctl approve {id}`"))?;
                }
                Ok(None)
            }
            OnAsk::Ask => {
                self.open.push_back(request.clone());
                if self.open.len() == 1 {
                    self.show(output)?;
                }
                Ok(None)
            }
        }
    }

    /// Handles a decision. One for a request that is still open here came from another client.
    pub(super) fn decided(
        &mut self,
        id: PermissionRequestId,
        decision: PermissionDecision,
        output: &mut Output,
    ) -> io::Result<()> {
        let Some(place) = self.open.iter().position(|open| open.request_id == id) else {
            return Ok(());
        };
        self.open.remove(place);
        output.note(&match decision {
            // The turn has ended before an answer.
            PermissionDecision::Cancelled => "the question is cancelled".to_owned(),
            _ => format!("answered elsewhere: {}", name(decision)),
        })?;
        if place == 0 {
            self.show(output)
        } else {
            Ok(())
        }
    }

    /// The next typed line. Pending while no request is open: the input is then left alone.
    pub(super) async fn line(&mut self) -> Option<String> {
        match &mut self.lines {
            Some(lines) if !self.open.is_empty() => lines.recv().await,
            _ => std::future::pending().await,
        }
    }

    /// Handles a typed line (`None` at end of file). Returns the answer, if the line is one.
    pub(super) fn typed(
        &mut self,
        line: Option<&str>,
        output: &mut Output,
    ) -> io::Result<Option<RespondPermissionParams>> {
        let Some(request) = self.open.front() else {
            return Ok(None);
        };
        let Some(line) = line else {
            let id = request.request_id;
            self.open.clear();
            output.note(&format!("still open: answer with `scorelctl approve {id}`"))?;
            return Ok(None);
        };
        match line.parse::<PermissionReply>() {
            Ok(reply) if is_possible(request, reply.decision) => {
                let id = request.request_id;
                self.open.pop_front();
                self.show(output)?;
                Ok(Some(self.params(id, reply)))
            }
            _ => {
                prompt(request, output)?;
                Ok(None)
            }
        }
    }

    /// Prompts for the first open request.
    fn show(&mut self, output: &mut Output) -> io::Result<()> {
        let Some(request) = self.open.front() else {
            return Ok(());
        };
        let lines = self.lines.get_or_insert_with(read_lines);
        // Lines typed before the prompt was shown cannot be meant as its answer.
        while lines.try_recv().is_ok() {}
        note_all(request, output)?;
        prompt(request, output)
    }

    fn params(
        &self,
        request_id: PermissionRequestId,
        reply: PermissionReply,
    ) -> RespondPermissionParams {
        RespondPermissionParams {
            session_id: self.session_id,
            request_id,
            decision: reply.decision,
            reason: reply.reason,
            command_id: Some(new_command_id()),
        }
    }
}

const fn name(decision: PermissionDecision) -> &'static str {
    match decision {
        PermissionDecision::Once => "once",
        PermissionDecision::Session => "for this session",
        PermissionDecision::Always => "always",
        PermissionDecision::Deny => "no",
        PermissionDecision::Cancelled => "cancelled",
    }
}

fn is_possible(request: &PermissionRequestBody, decision: PermissionDecision) -> bool {
    let lasts = matches!(
        decision,
        PermissionDecision::Session | PermissionDecision::Always
    );
    let is_too_long = decision == PermissionDecision::Always && request.session_only;
    !(lasts && request.rules.is_empty() || is_too_long)
}

fn note_all(request: &PermissionRequestBody, output: &mut Output) -> io::Result<()> {
    describe(request)
        .iter()
        .try_for_each(|line| output.note(line))
}

fn prompt(request: &PermissionRequestBody, output: &mut Output) -> io::Result<()> {
    let can = |decision| is_possible(request, decision);
    let prompt = if can(PermissionDecision::Always) {
        PROMPT
    } else if can(PermissionDecision::Session) {
        PROMPT_SESSION
    } else {
        PROMPT_ONCE
    };
    output.aside(prompt)?;
    output.flush()
}

/// Reads the terminal on a thread: a blocking read cannot be cancelled.
fn read_lines() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(LINES);
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}
