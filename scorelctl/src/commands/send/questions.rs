//! The permission requests of the followed turn.

use std::collections::VecDeque;
use std::io;

use scorel_proto::{
    PermissionAnswer, PermissionDecision, PermissionRequestBody, PermissionRequestId,
    RespondPermissionParams, SessionId,
};

use crate::args::OnAsk;
use crate::daemon::new_command_id;
use crate::id_part::end_of;
use crate::output::Output;
use crate::question::{PermissionReply, describe, prompt, reply_help};
use crate::typed_answer::{AnswerStep, TypedAnswers};

/// The open permission requests, and how to answer them.
pub(super) struct Questions {
    session_id: SessionId,
    on_ask: OnAsk,
    open: VecDeque<PermissionRequestBody>,
    /// `None` before the first question: the input is left alone.
    answers: Option<TypedAnswers>,
    /// The request that is on the screen.
    shown: Option<PermissionRequestId>,
}

impl Questions {
    /// Without `--on-ask`, prompts if there is a terminal to prompt on, and denies otherwise.
    pub(super) fn new(session_id: SessionId, wished: Option<OnAsk>, output: &Output) -> Self {
        let otherwise = match output.can_ask() {
            true => OnAsk::Ask,
            false => OnAsk::Deny,
        };
        Self {
            session_id,
            on_ask: wished.unwrap_or(otherwise),
            open: VecDeque::new(),
            answers: None,
            shown: None,
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
                note_all(request, output)?;
                output.note("denied: there is no terminal to ask on (see --on-ask)")?;
                let reason = "no user is available to ask".to_owned();
                let reply = PermissionReply {
                    decision: PermissionDecision::Deny,
                    reason: Some(reason),
                };
                Ok(Some(self.params(request.request_id, reply)))
            }
            OnAsk::Wait => {
                self.open.push_back(request.clone());
                note_all(request, output)?;
                let id = end_of(&request.request_id);
                output.note(&format!("waiting for an answer: `scorelctl approve {id}`"))?;
                Ok(None)
            }
            OnAsk::Ask => {
                self.open.push_back(request.clone());
                Ok(None)
            }
        }
    }

    /// Handles a decision. One for a request that is still open here came from another client.
    pub(super) fn decided(
        &mut self,
        answer: &PermissionAnswer,
        output: &mut Output,
    ) -> io::Result<()> {
        let id = answer.decision.request_id;
        let Some(place) = self.open.iter().position(|open| open.request_id == id) else {
            return Ok(());
        };
        self.open.remove(place);
        output.note(&match answer.decision.decision {
            // The turn has ended before an answer.
            PermissionDecision::Cancelled => "the question is cancelled".to_owned(),
            _ => format!("answered elsewhere: {answer}"),
        })
    }

    /// Keeps the first open request on the screen: shows it, or its prompt again if something else was written
    /// since. To be called whenever something may have changed.
    pub(super) fn keep_shown(&mut self, output: &mut Output) -> io::Result<()> {
        let first = self.open.front().filter(|_| self.asks());
        let Some(request) = first else {
            self.shown = None;
            self.answers.iter_mut().for_each(TypedAnswers::gone);
            return Ok(());
        };
        let answers = match &mut self.answers {
            Some(answers) => answers,
            none => none.insert(TypedAnswers::new()?),
        };
        if self.shown != Some(request.request_id) {
            self.shown = Some(request.request_id);
            note_all(request, output)?;
            answers.shown();
        } else if answers.is_prompted() && !output.is_prompting() {
            answers.shown();
        }
        Ok(())
    }

    /// Waits for the next step of the request that is shown. Pending without one. Cancel safe.
    pub(super) async fn next(&mut self) -> io::Result<AnswerStep> {
        match &mut self.answers {
            Some(answers) => answers.next().await,
            None => std::future::pending().await,
        }
    }

    /// Takes the next step. Returns the answer, if a line is one.
    pub(super) fn step(
        &mut self,
        step: &AnswerStep,
        output: &mut Output,
    ) -> io::Result<Option<RespondPermissionParams>> {
        let Some(request) = self.open.front() else {
            return Ok(None);
        };
        let id = request.request_id;
        let line = match step {
            AnswerStep::Prompt => {
                output.prompt(&prompt(request))?;
                return Ok(None);
            }
            AnswerStep::Line(line) => line,
        };
        output.answered(line.is_some());
        let Some(line) = line else {
            for open in self.open.drain(..) {
                let id = end_of(&open.request_id);
                output.note(&format!("still open: answer with `scorelctl approve {id}`"))?;
            }
            return Ok(None);
        };
        match line.parse::<PermissionReply>() {
            Ok(reply) if reply.is_possible(request) => Ok(Some(self.params(id, reply))),
            _ if line.trim().is_empty() => Ok(None),
            _ => {
                let help = reply_help(request);
                help.iter().try_for_each(|line| output.note(line))?;
                Ok(None)
            }
        }
    }

    /// The request is answered. One whose answer was refused stays, and is asked again.
    pub(super) fn close(&mut self, id: PermissionRequestId) {
        self.open.retain(|open| open.request_id != id);
    }

    /// Set if a request that stays open is asked here.
    pub(super) fn asks(&self) -> bool {
        self.on_ask == OnAsk::Ask
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

fn note_all(request: &PermissionRequestBody, output: &mut Output) -> io::Result<()> {
    describe(request)
        .iter()
        .try_for_each(|line| output.note_whole(line))
}
