//! The part of the conversation that a runner's context lacks, as text.

use scorel_journal::Blobs;
use scorel_proto::{Block, ContextWindow, EventId, Message, TurnId, WindowItem, excerpt, reminder};

use crate::compaction::ends_turn_of_one_before;
use crate::transcript::quoted;

const HEAD: &str = "This is the part of the conversation that you have not seen. \
    Others answered in it, and worked in the same directory. Do not answer it; go on from there.\n";

/// A part of a conversation as text, and the events that it is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HandoverText {
    pub(super) from: EventId,
    pub(super) through: EventId,
    pub(super) text: String,
}

/// What a window says after `seen`, the last event that the context holds; all of it for `None`. The
/// messages of `turn` are left out, which are its prompt. Reads images from the disk.
///
/// At most about `max_bytes`: the oldest messages go first.
pub(super) fn handover(
    window: &ContextWindow,
    seen: Option<EventId>,
    turn: Option<TurnId>,
    (max_bytes, blobs): (usize, &Blobs),
) -> Option<HandoverText> {
    let items: Vec<(&WindowItem, &Message)> = window.items().collect();
    let is_seen = |(item, _): &&(&WindowItem, _)| {
        seen.is_some_and(|seen| [item.event_id, item.last_event_id].contains(&seen))
    };
    // One that a summary has replaced is not found: then the summary stands for it and what follows.
    let first = items.iter().rposition(|it| is_seen(&it));
    // A runner knows nothing of the way in which its own turn was stopped.
    let first = first.map_or(0, |at| {
        at + usize::from(!ends_turn_of_one_before(&items, at))
    });
    let mut told = items.get(first..)?.to_vec();
    told.retain(|(item, _)| turn.is_none() || item.turn_id != turn);
    let (from, through) = (told.first()?.0.event_id, told.last()?.0.last_event_id);
    let text = match told[..] {
        [(_, Message::User(end))] if ends_turn_of_one_before(&items, first) => {
            Block::plain_text_of(&end.content)
        }
        _ => joined(&quoted(told.into_iter(), blobs), max_bytes),
    };
    Some(HandoverText {
        from,
        through,
        text,
    })
}

/// The newest texts that have room, with how many were left out.
fn joined(texts: &[String], max_bytes: usize) -> String {
    let mut room = max_bytes;
    let fits = |text: &&String| match room.checked_sub(text.len() + 2) {
        Some(rest) => {
            room = rest;
            true
        }
        None => false,
    };
    let kept = texts.iter().rev().take_while(fits).count();
    let (left_out, kept) = texts.split_at(texts.len() - kept);
    let unseen = left_out.len().saturating_sub(usize::from(kept.is_empty()));
    let mut text = HEAD.to_owned();
    if unseen > 0 {
        text.push_str(&format!("\n[{unseen} earlier messages are left out]\n"));
    }
    // The newest is what the runner is most likely asked about.
    let newest = match kept {
        [] => left_out.last().map(|text| excerpt(text, max_bytes)),
        _ => None,
    };
    for message in newest.iter().chain(kept) {
        text.push('\n');
        text.push_str(message);
        text.push('\n');
    }
    reminder(&text)
}

#[cfg(test)]
mod tests;
