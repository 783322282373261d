//! Questions of the turn that is followed.

use std::collections::VecDeque;
use std::io::{self, BufRead, IsTerminal};

use scorel_proto::{
    PermissionDecision, PermissionRequestBody, PermissionRequestId, RespondPermissionParams,
    SessionId,
};
use tokio::sync::mpsc;

use crate::args::OnAsk;
use crate::control::new_command_id;
use crate::output::Output;
use crate::question::{Reply, describe};

/// How many typed lines wait to be read.
const LINES: usize = 16;

const PROMPT: &str = "allow? [y]es, for the [s]ession, [a]lways in this project, [n]o (and why): ";
const PROMPT_ONCE: &str = "allow? [y]es, [n]o (and why): ";

/// The requests for permission that are open, and how they are answered.
pub(super) struct Questions {
    session_id: SessionId,
    on_ask: OnAsk,
    open: VecDeque<PermissionRequestBody>,
    lines: Option<mpsc::Receiver<String>>,
}

impl Questions {
    /// Without a wish a person at a terminal is asked, and where there is none the answer is no.
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

    /// A request is open. Gives the answer, if it needs nobody to be asked.
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
                    output.note("refused: nobody is asked here (see --on-ask)")?;
                }
                let reason = "nobody is there to ask".to_owned();
                let reply = Reply {
                    decision: PermissionDecision::Deny,
                    reason: Some(reason),
                };
                Ok(Some(self.params(request.request_id, reply)))
            }
            OnAsk::Wait => {
                if !output.json {
                    note_all(request, output)?;
                    let id = request.request_id;
                    output.note(&format!("waiting: `scorelctl approve {id}` answers"))?;
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

    /// A request was decided, here or elsewhere.
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
        output.note(&format!("answered elsewhere: {}", name(decision)))?;
        if place == 0 {
            self.show(output)
        } else {
            Ok(())
        }
    }

    /// The next line that somebody types while something is asked.
    pub(super) async fn line(&mut self) -> Option<String> {
        match &mut self.lines {
            Some(lines) if !self.open.is_empty() => lines.recv().await,
            _ => std::future::pending().await,
        }
    }

    /// Takes a typed line; nothing at the end of input. Gives the answer, if it is one.
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
            output.note(&format!("left open: `scorelctl approve {id}` answers"))?;
            return Ok(None);
        };
        match line.parse::<Reply>() {
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

    /// Asks the first question that is open.
    fn show(&mut self, output: &mut Output) -> io::Result<()> {
        let Some(request) = self.open.front() else {
            return Ok(());
        };
        let lines = self.lines.get_or_insert_with(read_lines);
        // What was typed before this was on the screen answers something else.
        while lines.try_recv().is_ok() {}
        note_all(request, output)?;
        prompt(request, output)
    }

    fn params(&self, request_id: PermissionRequestId, reply: Reply) -> RespondPermissionParams {
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
        PermissionDecision::Session => "for the session",
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
    !lasts || !request.rules.is_empty()
}

fn note_all(request: &PermissionRequestBody, output: &mut Output) -> io::Result<()> {
    describe(request)
        .iter()
        .try_for_each(|line| output.note(line))
}

fn prompt(request: &PermissionRequestBody, output: &mut Output) -> io::Result<()> {
    let lasting = is_possible(request, PermissionDecision::Session);
    output.aside(if lasting { PROMPT } else { PROMPT_ONCE })?;
    output.flush()
}

/// Reads what is typed on a thread of its own: reading a terminal blocks and cannot be given up.
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
