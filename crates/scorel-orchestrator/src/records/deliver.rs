use scorel_proto::{
    AgentTaskId, Block, ClientId, OutcomeReason, QueueItem, QueueItemMeta, QueueKind,
};
use scorel_session::{MutationCommand, Section, SessionError};

use super::{command_id, known};

/// Adds a result to the queue, unless the model has it or is about to get it: an idle session answers it in a
/// turn, a running turn gets it as a steer, and after a cancelled turn, or if `hold` is set, it waits until a
/// person goes on. Limits of the queue do not count: a recorded runtime's result is delivered.
pub(crate) fn deliver_result(
    section: &mut Section<'_>,
    id: AgentTaskId,
    content: Vec<Block>,
    hold: bool,
) -> Result<(), SessionError> {
    let runtime = known(section, id)?;
    if runtime.delivered.is_some() || runtime.offered.is_some() {
        section.go_on();
        return Ok(());
    }
    section.enter_active()?;
    let hold = {
        let view = section.view();
        let state = &view.state;
        let was_cancelled = state.last_outcome == Some(OutcomeReason::Cancelled);
        let is_held = hold || was_cancelled || state.archived;
        state.queue.paused || (!state.has_job() && is_held)
    };
    let item = result_item(id, section.queued_as(QueueKind::Steer), content)?;
    section.add_to_queue(item, hold, false)?;
    section.go_on();
    Ok(())
}

fn result_item(
    id: AgentTaskId,
    kind: QueueKind,
    content: Vec<Block>,
) -> Result<QueueItem, SessionError> {
    let command_id = command_id(&format!("{id}/result"))?;
    let command = MutationCommand::new(ClientId::Daemon, Some(command_id), "deliver", &id);
    Ok(QueueItem {
        meta: Some(QueueItemMeta {
            runtime_id: Some(id),
            ..QueueItemMeta::default()
        }),
        ..command.queue_item(kind, content)
    })
}
