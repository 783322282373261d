//! How many tokens the next request has, before it is sent.
//!
//! The factors are averages over the tokenizers in use: English and code have about 3.6 ASCII
//! characters a token, Chinese and Japanese about 1.2 tokens a character.

use scorel_proto::{Block, Context, Message};

use crate::ToolList;

/// Thousandths of a token for each character, by the length of its UTF-8 form.
const WEIGHTS: [u64; 4] = [280, 500, 1_200, 2_500];
/// Tokens around each block: role, type, ids.
const BLOCK_TOKENS: u64 = 8;
/// Tokens of an image that the endpoint scales down to its usual size.
const IMAGE_TOKENS: u64 = 1_600;
/// How far the size that the last call reported may exceed the estimate, in percent. Beyond it the
/// call's request was no part of this one, for example because it was compacted since.
const TRUSTED_PERCENT: u64 = 200;

/// The input tokens of a request: those that the last call in `messages` reported, and an estimate of
/// what came since; without a report an estimate of everything.
pub(crate) fn input_tokens(system: &str, tools: &ToolList, messages: &Context) -> u64 {
    let sizes: Vec<u64> = messages.iter().map(message_tokens).collect();
    let specs = tools.specs().map(|spec| {
        let text = text_tokens(&spec.description) + text_tokens(&spec.parameters.to_string());
        text + BLOCK_TOKENS
    });
    let estimated = text_tokens(system) + specs.sum::<u64>() + sizes.iter().sum::<u64>();
    let reported = messages
        .iter()
        .enumerate()
        .rev()
        .find_map(|(index, message)| Some((index, reported(message)?)));
    match reported {
        Some((index, reported)) => {
            let size = reported + sizes[index + 1..].iter().sum::<u64>();
            size.min(estimated * TRUSTED_PERCENT / 100)
        }
        None => estimated,
    }
}

fn reported(message: &Message) -> Option<u64> {
    match message {
        Message::Assistant(message) => message.usage.map(|usage| usage.total()),
        _ => None,
    }
}

fn message_tokens(message: &Message) -> u64 {
    match message {
        Message::User(message) => blocks_tokens(&message.content),
        Message::Assistant(message) => blocks_tokens(&message.content),
        Message::Internal(message) => blocks_tokens(&message.content),
        Message::ToolResult(message) => BLOCK_TOKENS + blocks_tokens(&message.result().content),
    }
}

fn blocks_tokens(blocks: &[Block]) -> u64 {
    blocks
        .iter()
        .map(|block| BLOCK_TOKENS + block_tokens(block))
        .sum()
}

fn block_tokens(block: &Block) -> u64 {
    match block {
        Block::Text { text, .. } | Block::Thinking { text, .. } => text_tokens(text),
        Block::Image { .. } => IMAGE_TOKENS,
        Block::ToolUse { name, input, .. } => text_tokens(name) + text_tokens(&input.to_string()),
        Block::ToolResult(result) => blocks_tokens(&result.content),
        Block::Blob { preview, .. } => text_tokens(preview),
    }
}

fn text_tokens(text: &str) -> u64 {
    let weights = text.chars().map(|char| WEIGHTS[char.len_utf8() - 1]);
    weights.sum::<u64>().div_ceil(1000)
}

#[cfg(test)]
mod tests {
    use scorel_proto::{AssistantMessage, Meta, StopReason, Usage};

    use super::*;

    fn answer(usage: Option<Usage>) -> Message {
        Message::Assistant(AssistantMessage {
            content: vec![Block::text("yes")],
            model: "m".to_owned(),
            stop_reason: StopReason::EndTurn,
            usage,
            cost: None,
            partial: false,
            meta: Meta::default(),
        })
    }

    #[test]
    fn characters_count_by_their_script() {
        assert_eq!(text_tokens(&"a".repeat(1000)), 280);
        assert_eq!(text_tokens(&"é".repeat(1000)), 500);
        assert_eq!(text_tokens(&"漢".repeat(1000)), 1_200);
        assert_eq!(text_tokens(&"👋".repeat(1000)), 2_500);
        assert_eq!(text_tokens("a"), 1);
    }

    #[test]
    fn what_was_reported_counts_and_the_rest_is_estimated() {
        let tools = ToolList::default();
        let long = Message::user("a".repeat(10_000));
        let usage = |input_tokens| Usage {
            input_tokens,
            output_tokens: 10,
            ..Usage::default()
        };
        let context: Context = vec![long.clone(), answer(None)].into();
        assert_eq!(input_tokens("", &tools, &context), 2_800 + 8 + 1 + 8);
        let context: Context = vec![long.clone(), answer(Some(usage(2_000))), long.clone()].into();
        assert_eq!(input_tokens("", &tools, &context), 2_010 + 2_808);
        // Reported before the context was compacted.
        let context: Context = vec![long, answer(Some(usage(90_000)))].into();
        assert_eq!(input_tokens("", &tools, &context), 2 * 2_817);
    }
}
