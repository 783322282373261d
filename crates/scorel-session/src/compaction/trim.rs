use scorel_proto::{
    Block, ContextWindow, EventId, Message, TokenEstimate, TurnId, WindowItem, trimmed_content,
};

use crate::context_size::ContextSize;

/// The newest tool results stay whole: the model is likely to work with them.
const NEWEST_TOKENS: u64 = 40_000;

/// Every edit makes the endpoint read the whole prefix again, so a small one is not worth it.
const LEAST_FREED: u64 = 20_000;

/// In percent of the model's window. Above that the next compaction would soon follow.
const ROOM_AFTER: u64 = 60;

/// Results of at most this many characters stay as they are.
const SHORT_CHARS: usize = 1_000;

/// What stays of a shortened result, in characters.
pub(crate) const KEPT_CHARS: u64 = 400;

/// A skill's text is instructions, not a finding.
const SKILL: &str = "Skill";

/// The tool results to shorten, if that alone makes enough room.
pub(crate) fn trim(
    window: &ContextWindow,
    turn_id: Option<TurnId>,
    size: &ContextSize,
    window_tokens: u64,
) -> Option<Vec<EventId>> {
    let items: Vec<(&WindowItem, &Message)> = window.items().collect();
    let is_answer = |(item, message): &(&WindowItem, &Message)| {
        turn_id.is_some() && item.turn_id == turn_id && matches!(message, Message::Assistant(_))
    };
    let last_step = items.iter().rposition(is_answer).unwrap_or(items.len());
    let mut newer = TokenEstimate::default();
    let mut freed = TokenEstimate::default();
    let mut shortened = Vec::new();
    for (place, (item, message)) in items.iter().enumerate().rev() {
        let Message::ToolResult(result) = message else {
            continue;
        };
        newer += item.tokens;
        let is_new = size.calibration.tokens(newer) <= NEWEST_TOKENS;
        if is_new || place > last_step || result.tool_name == SKILL {
            continue;
        }
        let own = item.own_blocks(&result.result().content);
        if let Some(rest) = shortened_content(own) {
            freed += TokenEstimate::of_blocks(own) - TokenEstimate::of_blocks(&[rest]);
            shortened.push(item.event_id);
        }
    }
    shortened.reverse();
    let freed = size.calibration.tokens(freed);
    let after = size.tokens.saturating_sub(freed);
    let is_enough = freed >= LEAST_FREED && after < window_tokens / 100 * ROOM_AFTER;
    is_enough.then_some(shortened)
}

/// A result once it is shortened; `None` if it stays as it is.
fn shortened_content(content: &[Block]) -> Option<Block> {
    let has_images = content
        .iter()
        .any(|block| matches!(block, Block::Image { .. }));
    let chars = Block::plain_text_of(content).chars().count();
    if chars <= SHORT_CHARS && !has_images {
        return None;
    }
    let keep = usize::try_from(KEPT_CHARS).unwrap_or(usize::MAX);
    trimmed_content(content, keep)
}
