use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    EventId, MessageRunner, PersistentBody, PersistentEvent, RunnerContextBody,
    RunnerContextOrigin, RunnerStartBody, TurnId,
};

/// The number of runners of a session that are told apart. A configuration has a dozen.
const MAX_RUNNERS: usize = 63;

/// The contexts that a session's runners keep, and the run that has no end yet.
///
/// A context holds an event only if the runner has said something after it: a prompt that was not
/// answered may never have been delivered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunnerContexts {
    /// Every runner with a message in the session, in the order of their first ones.
    names: Vec<String>,
    bound: BTreeMap<String, RunnerContext>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<OpenRun>,
}

/// A context that a runner keeps of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunnerContext {
    /// The runner's own id of it.
    pub context_id: String,
    /// The directory in which it can be resumed, absolute.
    pub cwd: String,
    /// The last event of the conversation that it holds; absent if the runner has not answered in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through_event_id: Option<EventId>,
}

/// A `runner_start` without a `runner_exit`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenRun {
    /// The turn.
    pub trace_id: TurnId,
    /// The runner.
    pub runner: String,
    /// The directory that it works in.
    pub cwd: String,
    /// When it started, in milliseconds since 1970.
    pub started_at: u64,
    /// The last event of the conversation that its context holds, whatever the context's id is.
    through_event_id: Option<EventId>,
}

impl RunnerContexts {
    /// The contexts by the names of their runners.
    pub const fn bound(&self) -> &BTreeMap<String, RunnerContext> {
        &self.bound
    }

    /// The context of a runner.
    pub fn of(&self, runner: &str) -> Option<&RunnerContext> {
        self.bound.get(runner)
    }

    /// The context that a turn of `runner` in `cwd` goes on in: it ends on the active path, and is of
    /// that directory. A turn without one makes a new context.
    pub fn resumable(
        &self,
        runner: &str,
        cwd: &str,
        is_on_path: impl Fn(EventId) -> bool,
    ) -> Option<&RunnerContext> {
        let context = self.of(runner).filter(|context| context.cwd == cwd)?;
        context
            .through_event_id
            .is_some_and(is_on_path)
            .then_some(context)
    }

    /// The run that has no end yet.
    pub const fn run(&self) -> Option<&OpenRun> {
        self.run.as_ref()
    }

    /// The name of a runner by its number in the tree's nodes.
    pub(super) fn name(&self, number: u8) -> Option<&str> {
        let index = usize::from(number).checked_sub(1)?;
        self.names.get(index).map(String::as_str)
    }

    /// The number by which the tree's nodes name the runner of an event; 0 for none.
    pub(super) fn number(&mut self, event: &PersistentEvent) -> u8 {
        let Some(runner) = spoke(event) else { return 0 };
        let index = match self.names.iter().position(|name| *name == runner.name) {
            Some(index) => index,
            None if self.names.len() < MAX_RUNNERS => {
                self.names.push(runner.name.clone());
                self.names.len() - 1
            }
            None => return 0,
        };
        u8::try_from(index + 1).unwrap_or(0)
    }

    /// Folds the next event. What a clone copied happened in contexts of another session.
    pub(super) fn fold(&mut self, event: &PersistentEvent) {
        if event.origin.is_some() {
            return;
        }
        match &event.body {
            PersistentBody::RunnerStart(body) => self.started(body, event.ts),
            PersistentBody::RunnerContext(body) => self.changed(body),
            PersistentBody::RunnerExit(_) | PersistentBody::TurnOutcome(_) => self.run = None,
            _ => {
                if let Some(runner) = spoke(event) {
                    self.said(runner, event.id);
                }
            }
        }
    }

    /// A log may hold the end of a turn and not its body.
    pub(super) fn turn_ended(&mut self) {
        self.run = None;
    }

    fn started(&mut self, body: &RunnerStartBody, now: u64) {
        let bound = self.bound.get(&body.runner);
        let is_resumed = body.context == RunnerContextOrigin::Resumed;
        self.run = Some(OpenRun {
            trace_id: body.trace_id,
            runner: body.runner.clone(),
            cwd: body.cwd.clone(),
            started_at: now,
            through_event_id: bound
                .filter(|_| is_resumed)
                .and_then(|bound| bound.through_event_id),
        });
        if let Some(id) = &body.context_id {
            self.bind(&body.runner, id, &body.cwd);
        }
    }

    fn changed(&mut self, body: &RunnerContextBody) {
        match &body.context_id {
            Some(id) => self.bind(&body.runner, id, &body.cwd),
            None => {
                self.bound.remove(&body.runner);
            }
        }
    }

    /// A run's context holds what the run has said before it named the context. One that is named
    /// outside of a run holds what it held before.
    fn bind(&mut self, runner: &str, id: &str, cwd: &str) {
        let before = self.bound.get(runner);
        let through = match self.run.as_ref().filter(|run| run.runner == runner) {
            Some(run) => run.through_event_id,
            None => before
                .filter(|bound| bound.context_id == id)
                .and_then(|bound| bound.through_event_id),
        };
        if before.is_none() && self.bound.len() == MAX_RUNNERS {
            return;
        }
        let context = RunnerContext {
            context_id: id.to_owned(),
            cwd: cwd.to_owned(),
            through_event_id: through,
        };
        self.bound.insert(runner.to_owned(), context);
    }

    fn said(&mut self, author: &MessageRunner, id: EventId) {
        if let Some(run) = self.run.as_mut().filter(|run| run.runner == author.name) {
            run.through_event_id = Some(id);
        }
        let context = self.bound.get_mut(&author.name);
        if let Some(context) =
            context.filter(|it| Some(&it.context_id) == author.context_id.as_ref())
        {
            context.through_event_id = Some(id);
        }
    }
}

/// The runner that an event is a message of.
fn spoke(event: &PersistentEvent) -> Option<&MessageRunner> {
    match &event.body {
        PersistentBody::Message(body) => body.message.runner(),
        _ => None,
    }
}
