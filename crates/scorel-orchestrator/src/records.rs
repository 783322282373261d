//! The records of a session about its runtimes, the tasks that it has given to agents.
//!
//! In: decisions of the orchestrator, one at a time. Out: `runtime_*` records, and results in the queue. Each
//! step is one section and looks at the fold first: repeated after a crash, it finds what it has done and
//! writes nothing.

mod changes;
mod deliver;
mod spawn;
mod stop;

pub(crate) use changes::{
    AgentTaskChange, AgentTaskEnding, AgentTaskPlaces, MoveAgentTasks, bind, change_status, finish,
    place, record_delivery,
};
pub(crate) use deliver::deliver_result;
pub use spawn::SpawnOrder;
pub(crate) use spawn::SpawnRequest;
pub(crate) use stop::{StopRuntime, stop_all};

use scorel_proto::{
    AgentTask, AgentTaskId, AgentTaskStamp, AgentTaskStatus, ClientId, CommandId, PersistentBody,
    Seq,
};
use scorel_session::{EventDraft, MutationCommand, Section, SessionError};

/// The author of what an agent does on its own.
pub(crate) fn own_command() -> MutationCommand {
    MutationCommand::new(ClientId::Daemon, None, "", &())
}

fn known(section: &Section<'_>, id: AgentTaskId) -> Result<AgentTask, SessionError> {
    let known = section.view().state.runtimes.get(id).cloned();
    known.ok_or(SessionError::AgentTaskNotFound(id))
}

/// The stamp of a runtime's next event.
fn stamp(
    section: &Section<'_>,
    runtime_id: AgentTaskId,
    status: AgentTaskStatus,
) -> AgentTaskStamp {
    AgentTaskStamp {
        runtime_id,
        version: section.view().state.runtimes.next_version(runtime_id),
        status,
        timestamp: section.lane().now_ms(),
    }
}

/// The id of a command that the orchestrator gives, and may repeat.
pub(crate) fn command_id(text: &str) -> Result<CommandId, SessionError> {
    text.parse()
        .map_err(|error| SessionError::Internal(format!("{error}")))
}

/// Commits a record, which is the receipt of `command` if there is one.
fn commit(
    section: &mut Section<'_>,
    body: PersistentBody,
    command: Option<&MutationCommand>,
) -> Result<Seq, SessionError> {
    let mut draft = EventDraft::new(body);
    if let Some(command) = command {
        draft = draft.by(command);
    }
    let seq = section.commit(draft)?.seq;
    section.announce();
    Ok(seq)
}

#[cfg(test)]
mod tests;
