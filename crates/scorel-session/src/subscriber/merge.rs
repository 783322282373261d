//! Merging deltas for a subscriber that is far behind: fewer events, same text.

use bytes::Bytes;
use scorel_proto::{Event, Seq, TransientBody, TransientEvent};

use crate::feed::RingEvent;

/// How many events behind a subscriber gets merged deltas. Small in this crate's own tests, so that
/// short histories have merged ones.
pub(crate) const FAR_BEHIND: usize = if cfg!(test) { 3 } else { 2048 };

/// The size limit of a merged delta, in bytes of text.
const MAX_BYTES: usize = if cfg!(test) { 48 } else { 64 * 1024 };

/// The events' JSON, with adjacent deltas of one block merged. Everything else keeps its bytes.
pub(super) fn merged(events: Vec<RingEvent>) -> Vec<Bytes> {
    let mut sent = Vec::with_capacity(events.len());
    let mut run: Option<DeltaRun> = None;
    for event in events {
        let delta = delta(&event);
        if let (Some(run), Some(delta)) = (&mut run, &delta)
            && run.join(delta)
        {
            continue;
        }
        sent.extend(run.take().map(DeltaRun::encode));
        match delta {
            Some(delta) => run = Some(DeltaRun::new(event.json, delta)),
            None => sent.push(event.json),
        }
    }
    sent.extend(run.map(DeltaRun::encode));
    sent
}

/// The event, if it is a delta.
fn delta(event: &RingEvent) -> Option<TransientEvent> {
    if event.persistent {
        return None;
    }
    match Event::decode(std::str::from_utf8(&event.json).ok()?).ok()? {
        Event::Transient(event) if text(&event.body).is_some() => Some(*event),
        _ => None,
    }
}

/// Adjacent deltas of one block.
struct DeltaRun {
    /// The first delta's JSON, in case nothing is merged with it.
    first: Bytes,
    from: Seq,
    joined: TransientEvent,
}

impl DeltaRun {
    fn new(first: Bytes, delta: TransientEvent) -> Self {
        Self {
            first,
            from: delta.seq,
            joined: delta,
        }
    }

    /// Merges the next delta, unless it belongs to another block or the text would be too long.
    fn join(&mut self, next: &TransientEvent) -> bool {
        let same = is_same_block(&self.joined, next);
        let Some(more) = text(&next.body).filter(|_| same) else {
            return false;
        };
        match delta_mut(&mut self.joined.body) {
            Some((text, _)) if text.len() + more.len() <= MAX_BYTES => text.push_str(more),
            _ => return false,
        }
        self.joined.seq = next.seq;
        self.joined.ts = next.ts;
        true
    }

    fn encode(mut self) -> Bytes {
        if self.joined.seq == self.from {
            return self.first;
        }
        if let Some((_, from_seq)) = delta_mut(&mut self.joined.body) {
            *from_seq = Some(self.from);
        }
        Bytes::from(serde_json::to_vec(&self.joined).expect("an event has only string keys"))
    }
}

fn is_same_block(one: &TransientEvent, next: &TransientEvent) -> bool {
    use TransientBody::{TextDelta, ThinkingDelta, ToolCallDelta};
    let same = match (&one.body, &next.body) {
        (TextDelta(one), TextDelta(next)) => {
            (one.event_id, one.block_index) == (next.event_id, next.block_index)
        }
        (ThinkingDelta(one), ThinkingDelta(next)) => {
            (one.event_id, one.block_index) == (next.event_id, next.block_index)
        }
        (ToolCallDelta(one), ToolCallDelta(next)) => {
            (one.event_id, one.block_index) == (next.event_id, next.block_index)
                && one.tool_call_id == next.tool_call_id
        }
        _ => false,
    };
    same && (one.turn_id, one.client_id) == (next.turn_id, next.client_id)
}

const fn text(body: &TransientBody) -> Option<&String> {
    match body {
        TransientBody::TextDelta(delta) => Some(&delta.delta),
        TransientBody::ThinkingDelta(delta) => Some(&delta.delta),
        TransientBody::ToolCallDelta(delta) => Some(&delta.delta),
        _ => None,
    }
}

const fn delta_mut(body: &mut TransientBody) -> Option<(&mut String, &mut Option<Seq>)> {
    match body {
        TransientBody::TextDelta(delta) => Some((&mut delta.delta, &mut delta.from_seq)),
        TransientBody::ThinkingDelta(delta) => Some((&mut delta.delta, &mut delta.from_seq)),
        TransientBody::ToolCallDelta(delta) => Some((&mut delta.delta, &mut delta.from_seq)),
        _ => None,
    }
}
