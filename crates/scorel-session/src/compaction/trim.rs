use scorel_proto::{
    Block, ContextTrimBody, ContextWindow, Message, TokenEstimate, TurnId, WindowItem,
    trimmed_content,
};

use crate::context_size::{Calibration, ContextSize};

/// The newest tool results stay whole: the model is likely to work with them.
const NEWEST_TOKENS: u64 = 40_000;

/// Every edit makes the endpoint read the whole prefix again, so a small one is not worth it.
const LEAST_FREED: u64 = 20_000;

/// In percent of the model's window. Above that the next compaction would soon follow.
const ROOM_AFTER: u64 = 60;

/// Results of at most this many characters stay as they are.
const SHORT_CHARS: usize = 1_000;

/// The part of an old result that stays, in characters.
const KEPT_CHARS: usize = 400;

/// The part that stays of a result which the model has not seen yet, in characters: the first that fits.
const NEW_KEPT_CHARS: [usize; 6] = [16_000, 8_000, 4_000, 2_000, 1_000, KEPT_CHARS];

/// A skill's text is instructions, not a finding.
const SKILL: &str = "Skill";

/// The old tool results to shorten, if that alone makes enough room.
pub(crate) fn trim(
    window: &ContextWindow,
    turn_id: TurnId,
    size: &ContextSize,
    window_tokens: u64,
) -> Option<ContextTrimBody> {
    let items: Vec<(&WindowItem, &Message)> = window.items().collect();
    let last_step = last_step(&items, turn_id).unwrap_or(items.len());
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
        if let Some(rest) = shortened_content(own, KEPT_CHARS) {
            freed += TokenEstimate::of_blocks(own) - TokenEstimate::of_blocks(&[rest]);
            shortened.push(item.event_id);
        }
    }
    shortened.reverse();
    let freed = size.calibration.tokens(freed);
    let after = size.tokens.saturating_sub(freed);
    let is_enough = freed >= LEAST_FREED && after < window_tokens / 100 * ROOM_AFTER;
    is_enough.then_some(ContextTrimBody {
        event_ids: shortened,
        keep_chars: KEPT_CHARS as u64,
    })
}

/// The results of the turn's last step, shortened to half of `room`: the tokens that a request has for
/// messages. `None` if they have room beside what no compaction can replace, if that alone has none, or if
/// they are short.
///
/// The other half is for a summary and for what follows, or the next step would be in the same place.
pub(crate) fn trim_last_step(
    window: &ContextWindow,
    turn_id: TurnId,
    calibration: &Calibration,
    room: u64,
) -> Option<ContextTrimBody> {
    let items: Vec<(&WindowItem, &Message)> = window.items().collect();
    let step = last_step(&items, turn_id)?;
    let is_of_turn = |(item, _): &(&WindowItem, &Message)| item.turn_id == Some(turn_id);
    let first = items[..step].iter().find(|it| is_of_turn(it));
    let staying: TokenEstimate = first.iter().map(|(item, _)| item.tokens).sum();
    let all = staying + items[step..].iter().map(|(item, _)| item.tokens).sum();
    if calibration.tokens(all) <= room {
        return None;
    }
    let results: Vec<(&WindowItem, &[Block])> = items[step..]
        .iter()
        .filter_map(|(item, message)| match message {
            Message::ToolResult(result) if result.tool_name != SKILL => {
                Some((*item, item.own_blocks(&result.result().content)))
            }
            _ => None,
        })
        .collect();
    let whole: TokenEstimate = results.iter().map(|(item, _)| item.tokens).sum();
    let results_room = room.checked_sub(calibration.tokens(all - whole))? / 2;
    let mut chosen = None;
    for keep in NEW_KEPT_CHARS {
        let mut tokens = TokenEstimate::default();
        let mut event_ids = Vec::new();
        for (item, own) in &results {
            let rest = shortened_content(own, keep);
            event_ids.extend(rest.is_some().then_some(item.event_id));
            tokens += rest.map_or(item.tokens, |rest| TokenEstimate::of_blocks(&[rest]));
        }
        if !event_ids.is_empty() {
            chosen = Some(ContextTrimBody {
                event_ids,
                keep_chars: keep as u64,
            });
        }
        if calibration.tokens(tokens) <= results_room {
            break;
        }
    }
    chosen
}

/// Where the last answer of the turn is, which is followed by its results.
fn last_step(items: &[(&WindowItem, &Message)], turn_id: TurnId) -> Option<usize> {
    let is_answer = |(item, message): &(&WindowItem, &Message)| {
        item.turn_id == Some(turn_id) && matches!(message, Message::Assistant(_))
    };
    items.iter().rposition(is_answer)
}

/// A result once it is shortened to `keep` characters; `None` if it stays as it is. A new image goes
/// only with everything that can go.
fn shortened_content(content: &[Block], keep: usize) -> Option<Block> {
    let has_images = content
        .iter()
        .any(|block| matches!(block, Block::Image { .. }));
    let chars = Block::plain_text_of(content).chars().count();
    // The sentence in the place of the rest is as long as a short result.
    let is_short = chars <= SHORT_CHARS.max(keep + keep / 4);
    if is_short && !(has_images && keep == KEPT_CHARS) {
        return None;
    }
    trimmed_content(content, keep)
}
