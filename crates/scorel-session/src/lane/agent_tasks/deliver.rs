use scorel_proto::{
    AgentTaskId, Block, ClientId, CommandId, OutcomeReason, QueueItem, QueueItemMeta, QueueKind,
    QueueOp,
};

use crate::lane::queue::sent_item;
use crate::lane::{EventDraft, Section};
use crate::{MutationCommand, SessionError};

impl Section<'_> {
    /// Adds a result to the queue: an idle session answers it in a turn, a running turn gets it as a
    /// steer, and after a cancelled turn, or if `hold` is set, it waits until a person goes on. Limits
    /// of the queue do not count: a recorded runtime's result is delivered.
    pub(super) fn deliver_result(
        &mut self,
        id: AgentTaskId,
        content: Vec<Block>,
        hold: bool,
    ) -> Result<(), SessionError> {
        let runtime = self.known_runtime(id)?;
        if runtime.delivered.is_some() || runtime.offered.is_some() {
            self.go_on();
            return Ok(());
        }
        self.enter_active()?;
        let hold = {
            let view = self.view();
            let state = &view.state;
            let was_cancelled = state.last_outcome == Some(OutcomeReason::Cancelled);
            let is_held = hold || was_cancelled || state.archived;
            state.queue.paused || (!state.has_job() && is_held)
        };
        let add = QueueOp::Add {
            item: result_item(id, self.queued_as(QueueKind::Steer), content)?,
            position: None,
            hold,
            go_on: false,
        };
        let body = self.queue_update(vec![add]);
        self.commit(EventDraft::new(body))?;
        self.announce();
        self.lane.queued.notify_waiters();
        self.go_on();
        Ok(())
    }
}

fn result_item(
    id: AgentTaskId,
    kind: QueueKind,
    content: Vec<Block>,
) -> Result<QueueItem, SessionError> {
    let command_id: CommandId = format!("{id}/result")
        .parse()
        .map_err(|error| SessionError::Internal(format!("{error}")))?;
    let command = MutationCommand::new(ClientId::Daemon, Some(command_id), "deliver", &id);
    Ok(QueueItem {
        meta: Some(QueueItemMeta {
            custom: None,
            runtime_id: Some(id),
        }),
        ..sent_item(command, kind, content)
    })
}
