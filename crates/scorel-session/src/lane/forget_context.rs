use scorel_proto::{PersistentBody, RunnerContextBody, Seq};

use super::mutate::Mutation;
use super::{EventDraft, Section};
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

/// `forgetContext`: gives up the context that a runner keeps of the session, and the process that waits in it.
///
/// Replies `None` if there is none. Refused with [`SessionError::Busy`] while the runner runs a turn.
#[derive(Debug)]
pub struct ContextRemoval {
    pub command: MutationCommand,
    pub runner: String,
}

impl Mutation for ContextRemoval {
    type Reply = Option<Seq>;

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.command)
    }

    fn repeat(&self, answer: &ReceiptAnswer, _: &Section<'_>) -> Option<Self::Reply> {
        answer.done().map(Some)
    }

    /// The turn that runs would bind its context again.
    fn check_busy(&self, section: &Section<'_>) -> Result<(), SessionError> {
        let is_running = {
            let state = &section.view().state;
            let is_chosen = state.runner.as_ref() == Some(&self.runner);
            let run = state.runners.run();
            let is_run = run.is_some_and(|run| run.runner == self.runner);
            state.turn.is_some() && (is_chosen || is_run)
        };
        if is_running {
            return Err(section.busy());
        }
        Ok(())
    }

    /// Nothing is recorded where there is no context: the state that is asked for is there already.
    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        let Some(bound) = section.view().state.runners.of(&self.runner).cloned() else {
            return Ok(None);
        };
        let body = PersistentBody::RunnerContext(RunnerContextBody {
            runner: self.runner.clone(),
            context_id: None,
            cwd: bound.cwd,
            reason: None,
        });
        let seq = section.commit(EventDraft::new(body).by(&self.command))?.seq;
        let lane = section.lane;
        lane.shared.runners.end_of(lane.id(), &self.runner);
        section.announce();
        Ok(Some(seq))
    }
}
