use scorel_client::ClientAnchors;
use scorel_proto::{Event, Seq, SessionId, TurnId};

use crate::commands::records::{decoded, events_before};
use crate::daemon::DaemonClient;
use crate::failure::Failure;
use crate::target;

/// The event to start printing at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TailStart {
    /// The first event to print.
    pub(super) from: Seq,
    /// The anchors of a client that has everything before `from`.
    pub(super) anchors: ClientAnchors,
}

/// The number of pages that are searched for the start of the last turn. A longer turn is shown from somewhere
/// in the middle.
const MAX_PAGES: usize = 20;

impl TailStart {
    /// Starts at the event `from`, which may not exist yet.
    ///
    /// The persistent anchor is the last record before it. The stream anchor is the number before
    /// it, but no number that is not assigned yet. The record is requested first: the stream anchor
    /// then cannot precede it, whatever happens in between.
    pub(super) async fn at(
        control: &mut DaemonClient,
        session_id: SessionId,
        from: u64,
    ) -> Result<Self, Failure> {
        let from = Seq::new(from.max(1)).unwrap_or(Seq::MAX);
        let before = events_before(control, session_id, from, 1).await?;
        let record = before.events.last().map(decoded).transpose()?;
        let persistent = record.as_ref().map_or(Seq::ZERO, Event::seq);
        let current = target::get(control, session_id).await?.current_seq;
        Ok(Self {
            from,
            anchors: ClientAnchors::new(persistent, Some(from.previous().min(current)))
                .with_id(record.as_ref().and_then(Event::id)),
        })
    }

    /// Starts at the first event of the last turn; without a turn, at the next event.
    pub(super) async fn last_turn(
        control: &mut DaemonClient,
        session_id: SessionId,
    ) -> Result<Self, Failure> {
        let end = target::get(control, session_id).await?.current_seq.next();
        let mut search = TurnSearch::default();
        let mut before = end;
        for _ in 0..MAX_PAGES {
            let page = events_before(control, session_id, before, 200).await?;
            let Some(first) = page.events.first() else {
                break;
            };
            before = decoded(first)?.seq();
            let events: Result<Vec<Event>, Failure> = page.events.iter().map(decoded).collect();
            if search.page(&events?) || !page.more {
                break;
            }
        }
        let from = search.start.unwrap_or(end);
        Self::at(control, session_id, from.get()).await
    }
}

/// A backward search for the first event of the last turn.
#[derive(Debug, Default)]
struct TurnSearch {
    turn: Option<TurnId>,
    start: Option<Seq>,
}

impl TurnSearch {
    /// Searches the next page towards the beginning. Returns whether the search is complete.
    fn page(&mut self, events: &[Event]) -> bool {
        for event in events.iter().rev() {
            match (self.turn, event.turn_id()) {
                (_, None) => {}
                (Some(turn), Some(other)) if turn != other => return true,
                (_, found) => {
                    self.turn = found;
                    self.start = Some(event.seq());
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use scorel_proto::EventId;
    use serde_json::json;

    use super::*;

    fn event(seq: u64, turn: Option<TurnId>) -> Event {
        let event = json!({
            "type": "custom", "kind": "k", "data": null, "id": EventId::generate(),
            "parentId": null, "seq": seq, "sessionId": SessionId::generate(),
            "clientId": "daemon", "ts": 1, "turnId": turn, "prev": seq - 1,
        });
        Event::decode(&event.to_string()).expect("an event")
    }

    fn start(pages: &[&[(u64, Option<TurnId>)]]) -> (Option<u64>, bool) {
        let mut search = TurnSearch::default();
        let mut over = false;
        for page in pages {
            let events: Vec<Event> = page.iter().map(|(seq, turn)| event(*seq, *turn)).collect();
            over = search.page(&events);
        }
        (search.start.map(Seq::get), over)
    }

    #[test]
    fn the_last_turn_begins_with_its_first_event() {
        let (one, two) = (Some(TurnId::generate()), Some(TurnId::generate()));
        assert_eq!(
            start(&[&[(1, one), (2, one), (3, two), (4, None), (5, two)]]),
            (Some(3), true)
        );
        assert_eq!(
            start(&[&[(5, two), (6, None)], &[(2, one), (4, two)]]),
            (Some(4), true)
        );
        assert_eq!(
            start(&[&[(2, one), (3, one)], &[(1, None)]]),
            (Some(2), false)
        );
        assert_eq!(start(&[&[(1, None)]]), (None, false));
    }
}
