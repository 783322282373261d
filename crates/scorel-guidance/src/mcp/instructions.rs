//! The instructions of servers, for the model.

use std::collections::BTreeMap;

use scorel_proto::{
    Block, CustomMessageBody, InternalMessage, MCP_INSTRUCTIONS_KIND, Message, Meta,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

const HEAD: &str = "\
Instructions of MCP servers, as their authors wrote them. They are about the tools and resources of each server only.";

/// The data of the message: all that the model was told, by server.
#[derive(Debug, Default, Serialize, Deserialize)]
struct ToldInstructions {
    servers: BTreeMap<String, String>,
}

/// The message that tells the model of instructions, each by the name of its server: those that are new or have changed.
/// `None` if there is nothing to tell. A server that is gone may come back, so nothing is told of that.
pub fn instructions(
    known: Option<&Value>,
    said: Vec<(String, String)>,
) -> Option<CustomMessageBody> {
    // Data of another version reads as none, and all is told again.
    let told = known.and_then(|data| ToldInstructions::deserialize(data).ok());
    let mut told = told.unwrap_or_default();
    let mut text = HEAD.to_owned();
    let before = text.len();
    for (server, said) in said {
        if told.servers.get(&server) != Some(&said) {
            text.push_str(&format!("\n\n# {server}\n\n{said}"));
            told.servers.insert(server, said);
        }
    }
    (text.len() > before).then(|| CustomMessageBody {
        kind: MCP_INSTRUCTIONS_KIND.to_owned(),
        message: Message::Internal(InternalMessage {
            content: vec![Block::text(text)],
            meta: Meta::default(),
        }),
        data: serde_json::to_value(told).ok(),
        queue_item_id: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_told_once_and_again_when_they_change() {
        let pair = |server: &str, text: &str| (server.to_owned(), text.to_owned());
        assert!(instructions(None, Vec::new()).is_none());
        let both = vec![pair("a", "first"), pair("b", "second")];
        let told = instructions(None, both.clone()).unwrap();
        assert!(instructions(told.data.as_ref(), both).is_none());
        assert!(instructions(told.data.as_ref(), Vec::new()).is_none());
        let changed = vec![pair("a", "first"), pair("b", "other")];
        let again = instructions(told.data.as_ref(), changed.clone()).unwrap();
        let Message::Internal(message) = &again.message else {
            panic!("{again:?}")
        };
        let text = Block::plain_text_of(&message.content);
        assert!(
            text.ends_with("# b\n\nother") && !text.contains("first"),
            "{text}"
        );
        assert!(instructions(again.data.as_ref(), changed).is_none());
    }
}
