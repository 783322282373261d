use std::borrow::Cow;

use scorel_proto::{Block, Message, ToolResultBlock, ToolResultMessage};

/// Keeps tool calls and results in pairs where records of the log were lost: endpoints refuse a request
/// with one of the two alone.
#[derive(Debug, Default)]
pub(super) struct CallPairs {
    /// The id and the tool of each call without a result, in order.
    open: Vec<(String, String)>,
}

impl CallPairs {
    /// The messages to send for the next one: none for a result without its call, and results for the
    /// calls that it leaves without one.
    pub(super) fn next<'a>(&mut self, message: &'a Message) -> Vec<Cow<'a, Message>> {
        if let Message::ToolResult(result) = message {
            let id = &result.result().tool_use_id;
            let found = self.open.iter().position(|(call, _)| call == id);
            let answers = found.map(|at| self.open.remove(at));
            return answers
                .map(|_| Cow::Borrowed(message))
                .into_iter()
                .collect();
        }
        let lost = std::mem::take(&mut self.open).into_iter().map(lost_result);
        let mut sent: Vec<Cow<'a, Message>> = lost.map(Cow::Owned).collect();
        sent.push(Cow::Borrowed(message));
        // The calls of a partial answer are not sent, since they never ran.
        if let Message::Assistant(message) = message
            && !message.partial
        {
            self.open.extend(message.tool_uses().filter_map(call));
        }
        sent
    }
}

fn call(block: &Block) -> Option<(String, String)> {
    match block {
        Block::ToolUse { id, name, .. } => Some((id.clone(), name.clone())),
        _ => None,
    }
}

fn lost_result((id, tool): (String, String)) -> Message {
    let result = ToolResultBlock::error(id, "The result of this call was lost.");
    Message::ToolResult(ToolResultMessage::new(tool, result, 0))
}

#[cfg(test)]
mod tests {
    use scorel_proto::{Block, Message, ToolResultBlock, ToolResultMessage};
    use serde_json::json;

    use super::CallPairs;

    fn calls(ids: &[&str]) -> Message {
        let uses: Vec<_> = ids
            .iter()
            .map(|id| json!({"type": "tool_use", "id": id, "name": "Read", "input": {}}))
            .collect();
        let message = json!({"role": "assistant", "content": uses, "model": "m",
            "stopReason": "tool_use"});
        serde_json::from_value(message).expect("a message")
    }

    fn result(id: &str) -> Message {
        let result = ToolResultBlock {
            content: vec![Block::text("found")],
            is_error: false,
            ..ToolResultBlock::error(id, "")
        };
        Message::ToolResult(ToolResultMessage::new("Read", result, 1))
    }

    /// The sent messages: the id of each result, `!` before one that was made up, and the role of others.
    fn sent(messages: &[Message]) -> Vec<String> {
        let mut pairs = CallPairs::default();
        let sent = messages.iter().flat_map(|message| pairs.next(message));
        let described = sent.map(|message| match &*message {
            Message::ToolResult(message) => {
                let result = message.result();
                let made = if result.is_error { "!" } else { "" };
                format!("{made}{}", result.tool_use_id)
            }
            other => format!("{:?}", other.role()),
        });
        described.collect()
    }

    #[test]
    fn whole_pairs_are_sent_as_they_are() {
        let messages = [
            calls(&["a", "b", "a"]),
            result("a"),
            result("b"),
            result("a"),
            calls(&["a"]),
        ];
        assert_eq!(sent(&messages), ["Assistant", "a", "b", "a", "Assistant"]);
    }

    #[test]
    fn a_result_without_its_call_is_left_out() {
        let messages = [Message::user("hi"), result("a"), Message::user("on")];
        assert_eq!(sent(&messages), ["User", "User"]);
    }

    #[test]
    fn a_call_of_a_partial_answer_gets_no_result() {
        let Message::Assistant(mut partial) = calls(&["a"]) else {
            unreachable!("calls come from an assistant");
        };
        partial.partial = true;
        let messages = [Message::Assistant(partial), Message::user("on")];
        assert_eq!(sent(&messages), ["Assistant", "User"]);
    }

    #[test]
    fn a_call_without_its_result_gets_one() {
        let messages = [
            calls(&["a", "b"]),
            result("b"),
            Message::user("on"),
            calls(&["a"]),
        ];
        assert_eq!(
            sent(&messages),
            ["Assistant", "b", "!a", "User", "Assistant"]
        );
    }
}
