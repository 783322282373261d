//! Cancels what the editor wants cancelled, one thing at a time.

use std::sync::Arc;
use std::time::Duration;

use scorel_client::{Connect, new_command_id};
use scorel_proto::{
    Cancel, CancelParams, ErrorCode, GetSession, GetSessionParams, QueueEdit, QueueItemId,
    RewriteQueue, RewriteQueueParams, TurnId,
};
use tokio::time::sleep;

use super::open_session::OpenSession;
use super::prompts::CancelStep;
use crate::daemon::Daemon;
use crate::failure::Failure;

/// Between two attempts, at first and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// Carries out the wishes of a session. Those that come meanwhile are one, however many they are.
pub(crate) async fn cancel_as_wanted<C: Connect + Clone>(
    daemon: Daemon<C>,
    session: Arc<OpenSession>,
) {
    loop {
        session.cancels.notified().await;
        let mut pause = PAUSES.0;
        // A turn whose first record is shown may not take a cancel yet, and an item may have begun to run.
        while let Some(step) = next(&session) {
            if take(&daemon, &session, step).await {
                session.prompts().signalled(step);
                continue;
            }
            tokio::select! {
                () = session.cancels.notified() => {}
                () = sleep(pause) => {}
            }
            pause = (pause * 2).min(PAUSES.1);
        }
    }
}

fn next(session: &OpenSession) -> Option<CancelStep> {
    session.prompts().cancel_step()
}

/// Returns whether nothing is left to do: the daemon took it, or never will.
async fn take<C: Connect + Clone>(
    daemon: &Daemon<C>,
    session: &OpenSession,
    step: CancelStep,
) -> bool {
    let taken = match step {
        CancelStep::Turn(turn) => cancel_turn(daemon, session, turn).await,
        CancelStep::Item(item) => remove(daemon, session, item).await,
    };
    taken.unwrap_or_else(|failure| failure.is(ErrorCode::SessionNotFound))
}

async fn cancel_turn<C: Connect + Clone>(
    daemon: &Daemon<C>,
    session: &OpenSession,
    turn: TurnId,
) -> Result<bool, Failure> {
    let params = CancelParams {
        session_id: session.id,
        expected_turn_id: Some(turn),
        clear_queue: None,
        children: None,
        command_id: None,
    };
    Ok(daemon.call::<Cancel>(&params).await?.cancelled)
}

async fn remove<C: Connect + Clone>(
    daemon: &Daemon<C>,
    session: &OpenSession,
    queue_item_id: QueueItemId,
) -> Result<bool, Failure> {
    let session_id = session.id;
    let known = daemon
        .call::<GetSession>(&GetSessionParams { session_id })
        .await?;
    let params = RewriteQueueParams {
        session_id,
        expected_version: known.session.queue_version,
        ops: vec![QueueEdit::Remove { queue_item_id }],
        command_id: Some(new_command_id()),
    };
    daemon.call::<RewriteQueue>(&params).await?;
    Ok(true)
}
