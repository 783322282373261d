use scorel_proto::{AgentTaskId, AgentTaskStatus, Seq};

use super::records::{AgentTaskChange, AgentTaskEnding};
use crate::lane::Section;
use crate::lane::mutate::Mutation;
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

/// `stopRuntime`.
#[derive(Debug)]
pub(super) struct StopRuntime {
    pub(super) command: MutationCommand,
    pub(super) id: AgentTaskId,
}

impl Mutation for StopRuntime {
    type Reply = Option<Seq>;

    /// It ends work.
    const WHILE_DRAINING: bool = true;

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.command)
    }

    fn repeat(&self, answer: &ReceiptAnswer, _: &Section<'_>) -> Option<Self::Reply> {
        answer.done().map(Some)
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        section.stop_runtime(self.id, Some(&self.command))
    }
}

impl Section<'_> {
    /// Stops every runtime that has not ended.
    pub(in crate::lane) fn stop_runtimes(&mut self) -> Result<(), SessionError> {
        let ids: Vec<AgentTaskId> = {
            let view = self.view();
            view.state.runtimes.unfinished().map(|(id, _)| id).collect()
        };
        for id in ids {
            self.stop_runtime(id, None)?;
        }
        Ok(())
    }

    /// One that has not begun ends here; for one that has, the orchestrator cancels what runs, after this
    /// says so.
    fn stop_runtime(
        &mut self,
        id: AgentTaskId,
        command: Option<&MutationCommand>,
    ) -> Result<Option<Seq>, SessionError> {
        let runtime = self.known_runtime(id)?;
        match runtime.status {
            status if status.is_final() => Ok(None),
            AgentTaskStatus::Queued => self.finish(id, AgentTaskEnding::before_it_began(), command),
            status => {
                let change = AgentTaskChange {
                    waiting_for: runtime.waiting_for.clone(),
                    stopping: true,
                    ..AgentTaskChange::to(status)
                };
                self.change(id, &change, command)
            }
        }
    }
}
