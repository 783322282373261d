use std::sync::Arc;

use scorel_client::new_command_id;
use scorel_proto::{
    Cancel, CancelParams, ErrorCode, GetSession, GetSessionParams, QueueEdit, QueueItemId,
    RewriteQueue, RewriteQueueParams, TurnId,
};

use crate::daemon::{Connector, Daemon};
use crate::failure::Failure;
use crate::v1::prompts::PromptPlace;
use crate::v1::session::OpenSession;

/// The attempts at a queue that others change at the same time.
const ATTEMPTS: usize = 8;

/// Cancels whenever the editor asks for it, one at a time, until the session is closed.
pub(super) async fn cancel_on_request<C: Connector>(session: Arc<OpenSession>, daemon: Daemon<C>) {
    loop {
        session.cancel.notified().await;
        // A prompt whose place is unknown may become the turn that is to be cancelled.
        session.prompts.all_placed().await;
        // The editor is told nothing: a prompt that goes on shows it.
        drop(cancel(&session, &daemon).await);
    }
}

/// Takes the editor's queued prompts back, and cancels its turn; without any, the turn of whichever client runs.
async fn cancel<C: Connector>(session: &OpenSession, daemon: &Daemon<C>) -> Result<(), Failure> {
    let places = session.prompts.places();
    let queued: Vec<_> = places.iter().filter_map(queue_item).collect();
    let own_turn = places.iter().find_map(turn);
    let taken_back = unqueue(session, &queued, daemon).await?;
    // One that is no longer queued runs.
    if taken_back < queued.len() || queued.is_empty() || own_turn.is_some() {
        let expected_turn_id = own_turn.filter(|_| taken_back == queued.len());
        let params = CancelParams {
            session_id: session.id,
            expected_turn_id,
            clear_queue: None,
            children: None,
            command_id: Some(new_command_id()),
        };
        daemon.call::<Cancel>(&params).await?;
    }
    Ok(())
}

/// Takes messages back, and returns how many were still queued.
async fn unqueue<C: Connector>(
    session: &OpenSession,
    own: &[QueueItemId],
    daemon: &Daemon<C>,
) -> Result<usize, Failure> {
    if own.is_empty() {
        return Ok(0);
    }
    for _ in 0..ATTEMPTS {
        let session_id = session.id;
        let params = GetSessionParams { session_id };
        let found = daemon.call::<GetSession>(&params).await?.session;
        let queued = found.queue.iter().map(|item| item.queue_item_id);
        let ops: Vec<_> = queued
            .filter(|id| own.contains(id))
            .map(|queue_item_id| QueueEdit::Remove { queue_item_id })
            .collect();
        let count = ops.len();
        if count == 0 {
            return Ok(0);
        }
        let params = RewriteQueueParams {
            session_id,
            expected_version: found.queue_version,
            ops,
            command_id: Some(new_command_id()),
        };
        match daemon.call::<RewriteQueue>(&params).await {
            Ok(_) => return Ok(count),
            Err(failure) if failure.is(ErrorCode::Conflict) => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(0)
}

const fn queue_item(place: &PromptPlace) -> Option<QueueItemId> {
    match place {
        PromptPlace::Queued(id) => Some(*id),
        PromptPlace::Sent | PromptPlace::Turn(_) => None,
    }
}

const fn turn(place: &PromptPlace) -> Option<TurnId> {
    match place {
        PromptPlace::Turn(id) => Some(*id),
        PromptPlace::Sent | PromptPlace::Queued(_) => None,
    }
}
