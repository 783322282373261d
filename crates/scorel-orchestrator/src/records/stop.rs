use scorel_proto::{AgentTaskId, AgentTaskStatus, Seq};

use scorel_session::{Mutation, MutationCommand, ReceiptAnswer, Section, SessionError};

use super::changes::{AgentTaskChange, AgentTaskEnding, finish, write_change};
use super::known;

/// `stopRuntime`.
#[derive(Debug)]
pub(crate) struct StopRuntime {
    pub(crate) command: MutationCommand,
    pub(crate) id: AgentTaskId,
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
        stop(section, self.id, Some(&self.command))
    }
}

/// Stops every runtime that has not ended.
pub(crate) fn stop_all(section: &mut Section<'_>) -> Result<(), SessionError> {
    let ids: Vec<AgentTaskId> = {
        let view = section.view();
        view.state.runtimes.unfinished().map(|(id, _)| id).collect()
    };
    for id in ids {
        stop(section, id, None)?;
    }
    Ok(())
}

/// One that has not begun ends here; for one that has, the orchestrator cancels what runs, after this
/// says so.
fn stop(
    section: &mut Section<'_>,
    id: AgentTaskId,
    command: Option<&MutationCommand>,
) -> Result<Option<Seq>, SessionError> {
    let runtime = known(section, id)?;
    match runtime.status {
        status if status.is_final() => Ok(None),
        AgentTaskStatus::Queued => finish(section, id, AgentTaskEnding::before_it_began(), command),
        status => {
            let change = AgentTaskChange {
                waiting_for: runtime.waiting_for.clone(),
                stopping: true,
                ..AgentTaskChange::to(status)
            };
            write_change(section, id, &change, command)
        }
    }
}
