//! Pages of a resync, as the items that a subscription would send.

use bytes::Bytes;
use scorel_proto::{EncodedEvent, ResyncResult, SessionId, SyncMarker, SyncMode};

use super::{Due, Item, Transcript};
use crate::model_test::reference::Reference;

impl Transcript {
    /// Checks a page, and returns what it says.
    pub(in crate::model_test) fn take_page(
        &mut self,
        page: &ResyncResult,
        id: SessionId,
        reference: &Reference,
    ) -> Vec<Item> {
        self.page_head = page.current_seq;
        let items = self.items(page, id, reference);
        for item in &items {
            self.take(item, reference);
        }
        if let Due::Resume(resume) = self.due
            && resume.next_record(reference).is_none()
        {
            // The live events, and with them the cut, began with this page.
            self.due = Due::Live(self.live(resume));
        }
        let of_moment = reference
            .moment(|moment| (moment.head, moment.leaf) == (page.current_seq, page.active_leaf_id));
        assert!(of_moment.is_some(), "the session never stood so: {page:?}");
        let is_last = page.next_page.is_none();
        assert_eq!(is_last, page.through_seq.is_some());
        let reload = page.mode != SyncMode::StreamResume;
        assert_eq!(page.in_flight.is_some(), reload && is_last);
        items
    }

    fn items(&self, page: &ResyncResult, id: SessionId, reference: &Reference) -> Vec<Item> {
        let start = self.begins_anew(page).then(|| SyncMarker::SyncStart {
            session_id: id,
            mode: page.mode,
            reason: page.reason.clone(),
        });
        let open = page.in_flight.clone();
        let open = open.map(|in_flight| SyncMarker::InFlight {
            session_id: id,
            in_flight,
        });
        let end = page.through_seq.map(|through_seq| SyncMarker::SyncEnd {
            session_id: id,
            through_seq,
        });
        let marker = |marker| Item::Marker(Box::new(marker));
        let event = |event: &EncodedEvent| {
            Item::Event(reference.identify(&Bytes::copy_from_slice(event.text().as_bytes())))
        };
        let events = page.events.iter().map(event);
        let behind = open.into_iter().chain(end).map(marker);
        start
            .map(marker)
            .into_iter()
            .chain(events)
            .chain(behind)
            .collect()
    }

    /// Returns whether the page is the first one, or says that it fell back.
    fn begins_anew(&self, page: &ResyncResult) -> bool {
        match self.due {
            Due::Start(_) => true,
            Due::Resume(_) | Due::Live(_) => page.mode != SyncMode::StreamResume,
            Due::Reload { .. } | Due::Cut { .. } => {
                assert_ne!(page.mode, SyncMode::StreamResume, "a reload stays one");
                false
            }
        }
    }
}
