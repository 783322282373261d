use std::collections::HashSet;

use scorel_client::{Caller, ClientError, Connect};
use scorel_proto::{
    Event, EventId, GetEvents, GetEventsParams, Message, PersistentBody, Seq, SessionId,
    SessionView, TurnId,
};

/// The most pages that are read backwards for a beginning of a turn.
const MAX_PAGES: usize = 10;

/// The most records of a page.
const PAGE: u32 = 200;

/// The end of a conversation, from the beginning of a turn on where that is near.
#[derive(Debug)]
pub(crate) struct HistoryWindow {
    /// The records of the active path, and those about its turns, in order.
    pub(crate) events: Vec<Event>,
    /// Set if there are earlier ones.
    pub(crate) has_more: bool,
    /// The last record of the log, on the path or not.
    pub(crate) last: Option<EventId>,
    /// The session's state as far as the records tell that were read. It has the open turn, and what that waits for.
    pub(crate) view: SessionView,
}

/// Reads the last turns of the path that ends at `leaf`, of the log before `end`.
pub(crate) async fn last_turns<C: Connect>(
    caller: &Caller<C>,
    session_id: SessionId,
    leaf: Option<EventId>,
    end: Seq,
    turns: usize,
) -> Result<HistoryWindow, ClientError> {
    let (mut events, mut before, mut has_more) = (Vec::new(), end, true);
    let mut last = None;
    for _ in 0..MAX_PAGES {
        let params = GetEventsParams {
            session_id,
            after_seq: None,
            before_seq: Some(before),
            limit: Some(PAGE),
            kinds: None,
        };
        let page = caller.call::<GetEvents>(&params).await?;
        let mut decoded: Vec<Event> = page
            .events
            .iter()
            .filter_map(|it| it.decode().ok())
            .collect();
        has_more = page.more;
        last = last.or_else(|| decoded.last().and_then(Event::id));
        let Some(first) = decoded.first() else {
            break;
        };
        before = first.seq();
        decoded.append(&mut events);
        events = decoded;
        if !has_more || messages(&on_path(&events, leaf)).count() > turns {
            break;
        }
    }
    let mut view = SessionView::default();
    events.iter().for_each(|event| view.apply(event));
    let path = on_path(&events, leaf);
    let begins: Vec<usize> = messages(&path).collect();
    let begin = begins
        .len()
        .checked_sub(turns)
        .map_or(0, |skipped| begins.get(skipped).copied().unwrap_or(0));
    let kept: HashSet<Seq> = path[begin..].iter().map(|event| event.seq()).collect();
    has_more |= begin > 0;
    events.retain(|event| kept.contains(&event.seq()));
    Ok(HistoryWindow {
        events,
        has_more,
        last,
        view,
    })
}

/// The places of users' messages.
fn messages(path: &[&Event]) -> impl Iterator<Item = usize> {
    let is_message = |event: &Event| match event {
        Event::Persistent(event) => {
            matches!(&event.body, PersistentBody::Message(body) if matches!(body.message, Message::User(_)))
        }
        _ => false,
    };
    path.iter()
        .enumerate()
        .filter(move |(_, event)| is_message(event))
        .map(|(at, _)| at)
}

/// The events of the path that ends at the leaf, and how its turns ended.
fn on_path(events: &[Event], leaf: Option<EventId>) -> Vec<&Event> {
    let mut next = leaf;
    let mut path = HashSet::new();
    let mut turns: HashSet<TurnId> = HashSet::new();
    for event in events.iter().rev() {
        let Event::Persistent(event) = event else {
            continue;
        };
        if next == Some(event.id) {
            path.insert(event.seq);
            turns.extend(event.turn_id);
            next = event.parent_id;
        }
    }
    let is_about = |event: &Event| match event {
        Event::Persistent(event) => {
            matches!(
                event.body,
                PersistentBody::TurnOutcome(_) | PersistentBody::RunnerStart(_)
            )
        }
        _ => false,
    };
    let belongs = |event: &&Event| {
        path.contains(&event.seq())
            || (is_about(event) && event.turn_id().is_some_and(|turn| turns.contains(&turn)))
    };
    events.iter().filter(belongs).collect()
}
