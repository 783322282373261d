//! What the daemon may send to one client, item by item.

use bytes::Bytes;
use scorel_proto::{Anchors, EncodedEvent, ResyncResult, Seq, SessionId, SyncMarker, SyncMode};

use super::reference::Reference;

/// One thing that a client is sent.
#[derive(Debug, Clone)]
pub(super) enum Item {
    Event(Seq),
    Marker(Box<SyncMarker>),
}

impl Item {
    pub(super) fn read(json: &Bytes, reference: &Reference) -> Self {
        if json.starts_with(b"{\"type\":\"sync_") || json.starts_with(b"{\"type\":\"in_flight\"") {
            Self::Marker(Box::new(serde_json::from_slice(json).expect("a marker")))
        } else {
            Self::Event(reference.identify(json))
        }
    }
}

/// What must come next, given everything that came.
#[derive(Debug, Clone, Copy)]
enum Due {
    /// The way in which a client with these anchors gets up to date.
    Start(Anchors),
    /// The records of `(after, through]`, then everything; up to date at `end`.
    Resume { after: Seq, through: Seq, end: Seq },
    /// The records after this one, then what is open.
    Reload { after: Seq },
    /// The end of a reload.
    Cut { persistent: Seq },
    /// Everything after `cursor`.
    Live {
        cursor: Seq,
        persistent: Seq,
        end: Option<Seq>,
    },
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Transcript {
    due: Due,
    /// Whether it is asked for page by page: then the end is where the session stands when the
    /// live events begin, and nothing follows it.
    paged: bool,
}

impl Transcript {
    pub(super) const fn subscribed(anchors: Anchors) -> Self {
        Self::new(anchors, false)
    }

    pub(super) const fn paged(anchors: Anchors) -> Self {
        Self::new(anchors, true)
    }

    const fn new(anchors: Anchors, paged: bool) -> Self {
        let due = Due::Start(anchors);
        Self { due, paged }
    }

    /// Whether something must come without anything else happening.
    pub(super) fn expects_more(&self, reference: &Reference) -> bool {
        match self.due {
            Due::Live { cursor, end, .. } => end.is_some() || cursor < reference.head,
            _ => true,
        }
    }

    pub(super) fn take(&mut self, item: &Item, reference: &Reference) {
        self.due = match item {
            Item::Event(seq) => self.event(*seq, reference),
            Item::Marker(marker) => self.marker(marker, reference),
        };
    }

    fn event(&self, seq: Seq, reference: &Reference) -> Due {
        match self.due {
            Due::Resume {
                after,
                through,
                end,
            } => {
                if let Some(next) = reference.next_record(after).filter(|next| *next <= through) {
                    assert_eq!(seq, next, "a record between the anchors");
                    return Due::Resume {
                        after: seq,
                        through,
                        end,
                    };
                }
                self.in_live(through, after, end, reference)
                    .event(seq, reference)
            }
            Due::Reload { after } => {
                assert_eq!(
                    Some(seq),
                    reference.next_record(after),
                    "a record of a reload"
                );
                Due::Reload { after: seq }
            }
            Due::Live {
                cursor,
                persistent,
                end,
            } => {
                assert_eq!(
                    Some(seq),
                    reference.next_event(cursor),
                    "the event after {cursor}"
                );
                assert!(
                    !self.paged || end.is_some_and(|end| cursor < end),
                    "{seq} is behind the cut"
                );
                let is_record = reference.get(seq).is_record();
                live(seq, if is_record { seq } else { persistent }, end)
            }
            due => panic!("{seq} came where {due:?} was due"),
        }
    }

    fn marker(&self, marker: &SyncMarker, reference: &Reference) -> Due {
        match (self.due, marker) {
            (Due::Start(anchors), SyncMarker::SyncStart { mode, .. }) => {
                assert_eq!(*mode, reference.mode(anchors), "{anchors:?}");
                start(*mode, anchors, reference)
            }
            (Due::Reload { after }, SyncMarker::InFlight { in_flight, .. }) => {
                assert_eq!(reference.next_record(after), None, "a record is missing");
                assert_eq!(*in_flight, reference.in_flight());
                Due::Cut { persistent: after }
            }
            (Due::Cut { persistent }, SyncMarker::SyncEnd { through_seq, .. }) => {
                assert_eq!(*through_seq, reference.head);
                live(*through_seq, persistent, None)
            }
            (Due::Resume { after, through, .. }, SyncMarker::SyncStart { mode, .. })
                if self.paged =>
            {
                assert!(
                    through < reference.floor,
                    "events after {through} were still there"
                );
                assert_eq!(*mode, SyncMode::PersistentFallback);
                Due::Reload { after }
            }
            (
                Due::Resume {
                    after,
                    through,
                    end,
                },
                SyncMarker::SyncEnd { .. } | SyncMarker::SyncStart { .. },
            ) => {
                let missing = reference.next_record(after).filter(|next| *next <= through);
                assert_eq!(missing, None, "a record between the anchors is missing");
                self.in_live(through, after, end, reference)
                    .marker(marker, reference)
            }
            (
                Due::Live {
                    cursor,
                    persistent,
                    end: Some(end),
                },
                SyncMarker::SyncEnd { through_seq, .. },
            ) => {
                assert_eq!(*through_seq, cursor);
                assert!(cursor >= end, "the sync ended at {cursor} before {end}");
                live(cursor, persistent, None)
            }
            (
                Due::Live {
                    cursor, persistent, ..
                },
                SyncMarker::SyncStart { mode, reason, .. },
            ) => {
                assert!(
                    cursor < reference.floor,
                    "events after {cursor} were still there"
                );
                assert!(reason.is_some());
                if self.paged {
                    assert_eq!(*mode, SyncMode::PersistentFallback);
                    return Due::Reload { after: persistent };
                }
                let anchors = Anchors {
                    persistent_last_seq: persistent,
                    stream_last_seq: None,
                };
                assert_eq!(*mode, reference.mode(anchors));
                start(*mode, anchors, reference)
            }
            (due, marker) => panic!("{marker:?} came where {due:?} was due"),
        }
    }

    /// The records between the anchors have come.
    fn in_live(&self, through: Seq, after: Seq, end: Seq, reference: &Reference) -> Self {
        let end = if self.paged { reference.head } else { end };
        Self {
            due: live(through, after, Some(end)),
            ..*self
        }
    }

    /// The items that a page of a resync stands for.
    pub(super) fn items(
        &self,
        page: &ResyncResult,
        id: SessionId,
        reference: &Reference,
    ) -> Vec<Item> {
        let begins = match self.due {
            Due::Start(_) => true,
            Due::Resume { .. } | Due::Live { .. } => page.mode != SyncMode::StreamResume,
            Due::Reload { .. } | Due::Cut { .. } => {
                assert_ne!(page.mode, SyncMode::StreamResume, "a reload stays one");
                false
            }
        };
        let start = begins.then(|| SyncMarker::SyncStart {
            session_id: id,
            mode: page.mode,
            reason: page.reason.clone(),
        });
        let in_flight = page
            .in_flight
            .clone()
            .map(|in_flight| SyncMarker::InFlight {
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
        let markers_behind = in_flight.into_iter().chain(end).map(marker);
        let events = page.events.iter().map(event);
        start
            .map(marker)
            .into_iter()
            .chain(events)
            .chain(markers_behind)
            .collect()
    }

    /// What stands beside the events of a page.
    pub(super) fn page_end(&mut self, page: &ResyncResult, reference: &Reference) {
        assert_eq!(page.current_seq, reference.head);
        assert_eq!(page.active_leaf_id, reference.view.leaf());
        assert_eq!(page.next_page.is_none(), page.through_seq.is_some());
        let reload = page.mode != SyncMode::StreamResume;
        assert_eq!(page.in_flight.is_some(), reload && page.next_page.is_none());
        if let Due::Resume {
            after,
            through,
            end,
        } = self.due
            && reference
                .next_record(after)
                .is_none_or(|next| next > through)
        {
            *self = self.in_live(through, after, end, reference);
        }
    }
}

const fn live(cursor: Seq, persistent: Seq, end: Option<Seq>) -> Due {
    Due::Live {
        cursor,
        persistent,
        end,
    }
}

fn start(mode: SyncMode, anchors: Anchors, reference: &Reference) -> Due {
    match (mode, anchors.stream_last_seq) {
        (SyncMode::StreamResume, Some(through)) => Due::Resume {
            after: anchors.persistent_last_seq,
            through,
            end: reference.head,
        },
        (SyncMode::FullReload, _) => Due::Reload { after: Seq::ZERO },
        _ => Due::Reload {
            after: anchors.persistent_last_seq,
        },
    }
}
