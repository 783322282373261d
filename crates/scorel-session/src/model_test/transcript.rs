//! What the daemon may send to one client, item by item.

mod page;

use bytes::Bytes;
use scorel_proto::{Anchors, Event, InFlight, Seq, SyncMarker, SyncMode, TransientEvent};

use super::reference::Reference;

/// One thing that a client is sent.
#[derive(Debug, Clone)]
pub(super) enum Item {
    Event(Seq),
    /// Deltas that come as one.
    Merged(Box<TransientEvent>),
    Marker(Box<SyncMarker>),
}

impl Item {
    pub(super) fn read(json: &Bytes, reference: &Reference) -> Self {
        if json.starts_with(b"{\"type\":\"sync_") || json.starts_with(b"{\"type\":\"in_flight\"") {
            Self::Marker(Box::new(serde_json::from_slice(json).expect("a marker")))
        } else if let Some(merged) = merged(json) {
            reference.check_merged(&merged);
            Self::Merged(merged)
        } else {
            Self::Event(reference.identify(json))
        }
    }
}

fn merged(json: &Bytes) -> Option<Box<TransientEvent>> {
    let text = std::str::from_utf8(json).expect("text");
    match Event::decode(text).expect("an event") {
        Event::Transient(event) if event.first_seq() < event.seq => Some(event),
        _ => None,
    }
}

/// What must come next, given everything that came.
#[derive(Debug, Clone, Copy)]
enum Due {
    /// The way in which a client with these anchors gets up to date.
    Start(Anchors),
    /// The records between the anchors, then everything.
    Resume(Resume),
    /// The records after this one, then the in-flight state.
    Reload { after: Seq },
    /// The end of a reload.
    Cut { persistent: Seq },
    /// Everything.
    Live(Live),
}

#[derive(Debug, Clone, Copy)]
struct Resume {
    /// The last record that came.
    after: Seq,
    through: Seq,
    /// Where the session stood at the beginning.
    end: Seq,
}

#[derive(Debug, Clone, Copy)]
struct Live {
    /// The last event that came.
    cursor: Seq,
    /// The last record that came.
    persistent: Seq,
    /// Before the end of the sync: it comes when everything up to here has come.
    end: Option<Seq>,
}

#[derive(Debug)]
pub(super) struct Transcript {
    due: Due,
    /// True if it is asked for page by page: then the end is where the session stands when the
    /// live events begin, and nothing follows it.
    paged: bool,
    /// Where the session stood when it made the last page.
    page_head: Seq,
    /// The in-flight state that was sent.
    in_flight: Option<InFlight>,
}

impl Transcript {
    pub(super) const fn subscribed(anchors: Anchors) -> Self {
        Self::new(anchors, false)
    }

    pub(super) const fn paged(anchors: Anchors) -> Self {
        Self::new(anchors, true)
    }

    const fn new(anchors: Anchors, paged: bool) -> Self {
        Self {
            due: Due::Start(anchors),
            paged,
            page_head: Seq::ZERO,
            in_flight: None,
        }
    }

    /// Returns whether something must come without anything else happening.
    pub(super) fn expects_more(&self, reference: &Reference) -> bool {
        match self.due {
            Due::Live(live) => live.end.is_some() || live.cursor < reference.head,
            _ => true,
        }
    }

    /// The last event that came before live events.
    pub(super) const fn cursor(&self) -> Option<Seq> {
        match self.due {
            Due::Live(live) => Some(live.cursor),
            Due::Resume(resume) => Some(resume.through),
            _ => None,
        }
    }

    pub(super) fn take(&mut self, item: &Item, reference: &Reference) {
        self.due = match item {
            Item::Event(seq) => self.event(self.due, *seq, reference),
            Item::Merged(event) => self.merged(event, reference),
            Item::Marker(marker) => self.marker(marker, reference),
        };
    }

    fn event(&self, due: Due, seq: Seq, reference: &Reference) -> Due {
        match due {
            Due::Resume(resume) => match resume.next_record(reference) {
                Some(next) => {
                    assert_eq!(seq, next, "a record between the anchors");
                    let after = seq;
                    Due::Resume(Resume { after, ..resume })
                }
                None => self.event(Due::Live(self.live(resume)), seq, reference),
            },
            Due::Reload { after } => {
                let next = reference.next_record(after);
                assert_eq!(Some(seq), next, "a record of a reload");
                Due::Reload { after: seq }
            }
            Due::Live(live) => self.live_event(live, seq, reference),
            due => panic!("{seq} came where {due:?} was due"),
        }
    }

    /// It begins right behind what came before, and nothing was sent of what it stands for.
    fn merged(&self, event: &TransientEvent, reference: &Reference) -> Due {
        assert!(!self.paged, "pages have single events");
        let due = self.event(self.due, event.first_seq(), reference);
        let Due::Live(live) = due else {
            panic!("{event:?} came where {due:?} was due");
        };
        Due::Live(Live {
            cursor: event.seq,
            ..live
        })
    }

    fn live_event(&self, live: Live, seq: Seq, reference: &Reference) -> Due {
        let cursor = live.cursor;
        let next = reference.next_event(cursor);
        assert_eq!(Some(seq), next, "the event after {cursor}");
        let before_cut = live.end.is_some_and(|end| seq <= end);
        assert!(!self.paged || before_cut, "{seq} is behind the cut");
        let is_record = reference.get(seq).is_record();
        Due::Live(Live {
            cursor: seq,
            persistent: if is_record { seq } else { live.persistent },
            ..live
        })
    }

    fn marker(&mut self, marker: &SyncMarker, reference: &Reference) -> Due {
        match marker {
            SyncMarker::SyncStart { mode, reason, .. } => {
                self.start(*mode, reason.is_some(), reference)
            }
            SyncMarker::InFlight { in_flight, .. } => {
                let Due::Reload { after: persistent } = self.due else {
                    panic!("an end of a reload came where {:?} was due", self.due);
                };
                self.in_flight = Some(in_flight.clone());
                Due::Cut { persistent }
            }
            SyncMarker::SyncEnd { through_seq, .. } => self.sync_end(*through_seq, reference),
            SyncMarker::End { .. } => panic!("nothing ends the session"),
        }
    }

    fn start(&self, mode: SyncMode, says_why: bool, reference: &Reference) -> Due {
        let (cursor, persistent) = match self.due {
            Due::Start(anchors) => return first(mode, anchors, reference),
            // The rest of the records follows, between the anchors and behind.
            Due::Resume(resume) if self.paged => (resume.through, resume.after),
            Due::Resume(resume) => {
                assert_eq!(resume.next_record(reference), None);
                (resume.through, resume.after)
            }
            Due::Live(live) => (live.cursor, live.persistent),
            due => panic!("{mode:?} began where {due:?} was due"),
        };
        assert!(
            !reference.covers(cursor),
            "events after {cursor} were still there"
        );
        assert!(says_why);
        if self.paged {
            assert_eq!(mode, SyncMode::PersistentFallback);
            return Due::Reload { after: persistent };
        }
        let anchors = Anchors {
            persistent_last_seq: persistent,
            stream_last_seq: None,
            persistent_last_id: None,
        };
        first(mode, anchors, reference)
    }

    fn sync_end(&self, through: Seq, reference: &Reference) -> Due {
        let live = match self.due {
            Due::Cut { persistent } => {
                self.check_cut(persistent, through, reference);
                Live {
                    cursor: through,
                    persistent,
                    end: None,
                }
            }
            Due::Resume(resume) => {
                let missing = resume.next_record(reference);
                assert_eq!(missing, None, "a record between the anchors is missing");
                self.live(resume)
            }
            Due::Live(live) if live.end.is_some() => live,
            due => panic!("an end of a sync came where {due:?} was due"),
        };
        assert_eq!(through, live.cursor);
        let end = live.end.unwrap_or_default();
        assert!(through >= end, "the sync ended at {through} before {end}");
        Due::Live(Live { end: None, ..live })
    }

    /// The records, the in-flight state and the cursor of a reload are those of one moment.
    fn check_cut(&self, persistent: Seq, through: Seq, reference: &Reference) {
        let missing = reference.next_record(persistent);
        let missing = missing.filter(|next| *next <= through);
        assert_eq!(missing, None, "a record of a reload is missing");
        assert!(persistent <= through);
        let moment = reference.moment(|moment| moment.head == through);
        let moment = moment.unwrap_or_else(|| panic!("the session never stood at {through}"));
        assert_eq!(self.in_flight.as_ref(), Some(&moment.in_flight));
    }

    /// The records between the anchors have come.
    const fn live(&self, resume: Resume) -> Live {
        Live {
            cursor: resume.through,
            persistent: resume.after,
            end: Some(if self.paged {
                self.page_head
            } else {
                resume.end
            }),
        }
    }
}

impl Resume {
    fn next_record(self, reference: &Reference) -> Option<Seq> {
        let next = reference.next_record(self.after);
        next.filter(|next| *next <= self.through)
    }
}

/// What follows the first marker, which must be the one that the anchors demand.
fn first(mode: SyncMode, anchors: Anchors, reference: &Reference) -> Due {
    let moment = reference.moment(|moment| reference.mode(anchors, moment) == mode);
    let moment = moment.unwrap_or_else(|| panic!("{mode:?} for {anchors:?}"));
    let after = anchors.persistent_last_seq;
    match (mode, anchors.stream_last_seq) {
        (SyncMode::StreamResume, Some(through)) => Due::Resume(Resume {
            after,
            through,
            end: moment.head,
        }),
        (SyncMode::FullReload, _) => Due::Reload { after: Seq::ZERO },
        _ => Due::Reload { after },
    }
}
