use scorel_proto::{ContextWindow, EventId, Message, TokenEstimate, TurnId, WindowItem};

use crate::context_size::Calibration;

/// Which part of a window a summary replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut {
    /// How many messages of the window the summary replaces, the older summary included.
    pub(crate) end: usize,
    /// The last event that it replaces.
    pub(crate) through: EventId,
    /// Of these messages: the one that stays, the running turn's first.
    pub(crate) keep: Option<EventId>,
    /// The estimated size of what goes.
    pub(crate) gone: TokenEstimate,
    /// True if the last words of the user that it replaces are answered by what stays.
    pub(crate) answered: bool,
}

impl Cut {
    /// The cut that leaves the longest tail of at most `keep_tokens`. `None` if there is nothing to
    /// replace.
    ///
    /// A tail never begins at a tool result, which belongs to the call before it, nor at the end of a
    /// turn without a message of it, and reminders are part of their result. Of the running turn at least the last step stays: the model has not
    /// seen its results yet.
    pub(crate) fn choose(
        window: &ContextWindow,
        turn_id: Option<TurnId>,
        keep_tokens: u64,
        calibration: &Calibration,
    ) -> Option<Self> {
        let items: Vec<(&WindowItem, &Message)> = window.items().collect();
        // A summary belongs to the turn that it was made in, and is no message of it.
        let of_turn = |(item, _): &(&WindowItem, &Message)| {
            turn_id.is_some() && item.turn_id == turn_id && Some(item.seq) != window.barrier()
        };
        let is_answer =
            |at: &(&WindowItem, &Message)| of_turn(at) && matches!(at.1, Message::Assistant(_));
        let turn_start = items.iter().position(of_turn);
        let last_step = items.iter().rposition(is_answer).or(turn_start);
        let mut end = last_step.unwrap_or(items.len());
        let mut tail: TokenEstimate = items[end..].iter().map(|(item, _)| item.tokens).sum();
        for start in (window.covered()..end).rev() {
            let (item, message) = items[start];
            tail += item.tokens;
            if calibration.tokens(tail) > keep_tokens {
                break;
            }
            let is_result = matches!(message, Message::ToolResult(_));
            if !is_result && !ends_turn_of_one_before(&items, start) {
                end = start;
            }
        }
        // Every path from here on covers at least one message that no summary covers yet.
        let covered = items.get(window.covered()..end)?;
        let keep = turn_start.filter(|start| *start < end);
        let keep = keep.map(|start| items[start].0.event_id);
        let goes = |(item, _): &&(&WindowItem, &Message)| Some(item.event_id) != keep;
        covered.iter().find(goes)?;
        let gone = items[..end].iter().filter(goes);
        let (last, message) = covered.last()?;
        let is_of_user = matches!(message, Message::User(_)) || last.has_reminders();
        let goes_on = matches!(items.get(end), Some((_, Message::Assistant(_))));
        Some(Self {
            end,
            through: last.last_event_id,
            keep,
            gone: gone.map(|(item, _)| item.tokens).sum(),
            // The message that stays is still worked on.
            answered: is_of_user && goes_on && Some(last.event_id) != keep,
        })
    }
}

/// Returns whether a message says how the turn of the one before it has ended.
pub(crate) fn ends_turn_of_one_before(items: &[(&WindowItem, &Message)], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| items[before].0);
    before.is_some_and(|before| before.last_event_id == items[at].0.event_id)
}

#[cfg(test)]
mod tests;
