use scorel_proto::{Session, SessionId};

use crate::daemon::DaemonClient;
use crate::target;

/// Tells the effect of a queued message on the queue, as it was `before`. Returns whether the message waits in a
/// paused queue, and what to tell the user; `None` if no pause is involved. A failure is none of the message.
pub(super) async fn of_message(
    before: &Session,
    control: &mut DaemonClient,
) -> Option<(bool, String)> {
    let session_id = before.session_id;
    let now = target::get_now(control, session_id).await?;
    match (before.queue_paused, now.queue_paused) {
        (_, true) => Some((true, pause_text(session_id))),
        (true, false) => Some((false, "the queue was paused; it goes on now".to_owned())),
        (false, false) => None,
    }
}

/// Says that the message waits in a paused queue.
pub(super) fn pause_text(session_id: SessionId) -> String {
    format!(
        "the queue is paused, and the message waits in it: `scorelctl queue --session {session_id} resume` \
         goes on with it"
    )
}
