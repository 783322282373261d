use scorel_client::StreamItem;
use scorel_proto::{Event, PersistentBody, QueueItemId, SessionId, SyncMarker};

use crate::commands::queue_pause::pause_text;
use crate::daemon::DaemonClient;
use crate::target;

/// Notices that the queue in which a message waits is paused: it would wait for ever.
#[derive(Debug)]
pub(super) struct PauseWatch {
    item: QueueItemId,
    /// True if something has happened that may have paused the queue.
    due: bool,
    /// True if the user was told.
    told: bool,
}

impl PauseWatch {
    /// `told` says that the user knows of the pause.
    pub(super) const fn new(item: QueueItemId, told: bool) -> Self {
        Self {
            item,
            // The queue may have been paused since.
            due: true,
            told,
        }
    }

    /// An item has arrived on the stream.
    pub(super) fn heard(&mut self, item: &StreamItem) {
        self.due |= match item {
            StreamItem::Event(_, Event::Persistent(event)) => matches!(
                event.body,
                PersistentBody::QueueUpdate(_)
                    | PersistentBody::TurnOutcome(_)
                    | PersistentBody::Compaction(_)
            ),
            StreamItem::Marker(marker) => matches!(**marker, SyncMarker::SyncEnd { .. }),
            StreamItem::Event(..) | StreamItem::Reconnecting { .. } => false,
        };
    }

    /// The message for the user, if it has changed.
    pub(super) async fn look(
        &mut self,
        control: &mut DaemonClient,
        session_id: SessionId,
    ) -> Option<String> {
        if !std::mem::take(&mut self.due) {
            return None;
        }
        let Some(session) = target::get_now(control, session_id).await else {
            // Asked again at the next call: there may be no further event of a paused queue.
            self.due = true;
            return None;
        };
        let mut items = session.queue.iter();
        let waits = items.any(|item| item.queue_item_id == self.item);
        let paused = waits && session.queue_paused;
        let told = std::mem::replace(&mut self.told, paused);
        (paused && !told).then(|| pause_text(session_id))
    }
}
