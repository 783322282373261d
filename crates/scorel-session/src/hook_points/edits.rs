//! Which changes of messages hooks may make.

use std::collections::HashSet;

use scorel_proto::{ContextOp, ContextWindow, HookPoint, Message, WindowItem};

use super::new_messages::{first_new, place_of};

/// The changes that a hook may make at once.
const MAX_OPS: usize = 1_000;

/// The bytes of their texts.
const MAX_TEXT: usize = 256 * 1024;

/// The changes that count, the last one of each message. The error says which one is not allowed.
///
/// A message that a request has had stays, or the endpoint would read all of it again; only where room is made that
/// happens anyway.
pub(super) fn checked(
    window: &ContextWindow,
    point: HookPoint,
    mut ops: Vec<ContextOp>,
) -> Result<Vec<ContextOp>, String> {
    if ops.len() > MAX_OPS {
        return Err(format!("{} edits are more than {MAX_OPS}", ops.len()));
    }
    let mut named = HashSet::new();
    ops.reverse();
    ops.retain(|op| named.insert(op.event_id()));
    ops.reverse();
    let items: Vec<(&WindowItem, &Message)> = window.items().collect();
    let first = match point {
        HookPoint::Trim => window.covered(),
        _ => first_new(&items, window),
    };
    let mut bytes = 0;
    for op in &ops {
        check(&items, first, op).map_err(|reason| format!("{}: {reason}", op.event_id()))?;
        if let ContextOp::Replace { text, .. } = op {
            bytes += text.len();
        }
    }
    if bytes > MAX_TEXT {
        return Err(format!(
            "the texts of the edits have {bytes} bytes, more than {MAX_TEXT}"
        ));
    }
    Ok(ops)
}

fn check(
    items: &[(&WindowItem, &Message)],
    first: usize,
    op: &ContextOp,
) -> Result<(), &'static str> {
    let Some((at, is_own)) = place_of(items, op.event_id()) else {
        return Err("the model reads no such message");
    };
    if at < first {
        return Err("it was sent already");
    }
    let (item, message) = items[at];
    match (message, op) {
        (Message::Assistant(_), _) => Err("an answer cannot be changed"),
        (_, ContextOp::Replace { text, .. }) if text.trim().is_empty() => Err("the text is empty"),
        (_, ContextOp::Replace { .. }) => Ok(()),
        (Message::ToolResult(_), ContextOp::Hide { .. }) if is_own => {
            Err("a result cannot be hidden, only replaced")
        }
        (_, ContextOp::Hide { .. }) if is_own && begins_turn(items, item, at) => {
            Err("the first message of a turn cannot be hidden, only replaced")
        }
        (_, ContextOp::Hide { .. }) => Ok(()),
    }
}

fn begins_turn(items: &[(&WindowItem, &Message)], item: &WindowItem, at: usize) -> bool {
    let is_of_turn = |(other, _): &(&WindowItem, &Message)| other.turn_id == item.turn_id;
    item.turn_id.is_some() && !items[..at].iter().any(is_of_turn)
}
