//! How many tokens the next request has, before it is sent.

use scorel_proto::{Context, Message, TokenEstimate};

use crate::{ToolList, ToolSpec};

/// How far the size that the last call reported may exceed the estimate, in percent. Beyond it the
/// call's request was no part of this one, for example because it was compacted since.
const TRUSTED_PERCENT: u64 = 200;

/// The input tokens of a request: those that the last call in `messages` reported, and an estimate of
/// what came since; without a report an estimate of everything.
pub(crate) fn input_tokens(system: &str, tools: &ToolList, messages: &Context) -> u64 {
    let since = |index: usize| -> TokenEstimate {
        let messages = messages.iter().skip(index);
        messages.map(TokenEstimate::of_message).sum()
    };
    let fixed = TokenEstimate::of_text(system) + tools.specs().map(ToolSpec::tokens).sum();
    let estimated = (fixed + since(0)).tokens();
    let reported = messages
        .iter()
        .enumerate()
        .rev()
        .find_map(|(index, message)| Some((index, reported(message)?)));
    match reported {
        Some((index, reported)) => {
            let size = reported + since(index + 1).tokens();
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

#[cfg(test)]
mod tests {
    use scorel_proto::{AssistantMessage, Block, Meta, StopReason, Usage};

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
    fn what_was_reported_counts_and_the_rest_is_estimated() {
        let tools = ToolList::default();
        let long = Message::user("a".repeat(10_000));
        let usage = |input_tokens| Usage {
            input_tokens,
            output_tokens: 10,
            ..Usage::default()
        };
        let context: Context = vec![long.clone(), answer(None)].into();
        assert_eq!(input_tokens("", &tools, &context), 2_817);
        let context: Context = vec![long.clone(), answer(Some(usage(2_000))), long.clone()].into();
        assert_eq!(input_tokens("", &tools, &context), 2_010 + 2_808);
        // Reported before the context was compacted.
        let context: Context = vec![long, answer(Some(usage(90_000)))].into();
        assert_eq!(input_tokens("", &tools, &context), 2 * 2_817);
    }
}
