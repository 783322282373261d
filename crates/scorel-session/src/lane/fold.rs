use scorel_journal::{Index, RecordPosition, RecordRef};
use scorel_proto::{Event, PersistentEvent, SessionView};

use crate::receipts::Receipts;

/// Everything that is folded from the records of a log.
///
/// Loading feeds it whole files, the commit path one record at a time. Both must agree: after any
/// history, folding the log gives the live state.
#[derive(Debug, Default)]
pub(super) struct LogFold {
    pub(super) view: SessionView,
    /// Seq → position in the file.
    pub(super) index: Index,
    pub(super) receipts: Receipts,
}

impl LogFold {
    /// Folds a record that was read from the log.
    pub(super) fn read(&mut self, record: RecordRef<'_>) {
        let covered = self
            .index
            .last()
            .is_some_and(|last| last.seq >= record.place.seq);
        if covered {
            // The log does not match the checkpoint that this fold started from. The journal
            // reports that too, and the caller starts over without the checkpoint.
            return;
        }
        match Event::decode(record.line) {
            Ok(Event::Persistent(event)) => self.committed(record.place, &event),
            Ok(event) => {
                self.index.push(record.place);
                self.view.apply(&event);
            }
            Err(error) => {
                self.index.push(record.place);
                tracing::warn!(seq = %record.place.seq, %error, "a record is not an event");
            }
        }
    }

    /// Gives back the memory that growing has reserved, up to half of what the fold takes. Copies
    /// the fold, so it is for sessions that are at rest.
    pub(super) fn shrink(&mut self) {
        self.view.tree.shrink();
        self.index.shrink();
    }

    /// Folds a record that is in the log at `place`.
    pub(super) fn committed(&mut self, place: RecordPosition, event: &PersistentEvent) {
        self.index.push(place);
        self.view.apply_persistent(event);
        let queue_len = self.view.state.queue.items.len();
        self.receipts.apply(event, queue_len);
    }
}
