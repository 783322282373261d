//! The messages that hooks are shown.

use scorel_engine::NewMessage;
use scorel_proto::{Block, ContextWindow, EventId, Message, Role, WindowItem};

/// The bytes of text that a hook gets at once.
const MAX_BYTES: usize = 256 * 1024;

/// The messages behind the last answer: no request whose answer is known has had them. Each event is one,
/// also those that are read as part of another message.
pub(super) fn new_messages(window: &ContextWindow) -> Vec<NewMessage> {
    let items: Vec<(&WindowItem, &Message)> = window.items().collect();
    let first = first_new(&items, window);
    let mut found: Vec<NewMessage> = Vec::new();
    for (item, message) in &items[first..] {
        // How a turn has ended is told in the name of that turn's last event.
        let is_ending = found
            .last()
            .is_some_and(|last| last.event_id == item.event_id);
        if !is_ending {
            found.extend(parts(item, message));
        }
    }
    found
}

/// Where the messages begin that no request has had.
pub(super) fn first_new(items: &[(&WindowItem, &Message)], window: &ContextWindow) -> usize {
    let answer = |(_, message): &(&WindowItem, &Message)| matches!(message, Message::Assistant(_));
    let summary = usize::from(window.barrier().is_some());
    items.iter().rposition(answer).map_or(summary, |at| at + 1)
}

/// The newest answer of the window.
pub(super) fn last_answer(window: &ContextWindow) -> Option<NewMessage> {
    let mut items = window.items();
    let answer = items.rfind(|(_, message)| matches!(message, Message::Assistant(_)));
    answer.and_then(|(item, message)| parts(item, message).into_iter().next())
}

/// The newest of the messages that have room together, and how many have none.
pub(super) fn newest(mut messages: Vec<NewMessage>) -> (Vec<NewMessage>, usize) {
    let mut room = MAX_BYTES;
    let mut first = messages.len();
    for message in messages.iter_mut().rev() {
        if room == 0 {
            break;
        }
        message.is_cut = cut(&mut message.text, room);
        room -= message.text.len().max(1).min(room);
        first -= 1;
    }
    messages.drain(..first);
    (messages, first)
}

/// The messages in batches that have room. The error says which has none by itself.
pub(super) fn batches(messages: Vec<NewMessage>) -> Result<Vec<Vec<NewMessage>>, String> {
    let mut batches: Vec<Vec<NewMessage>> = Vec::new();
    let mut room = 0;
    for message in messages {
        let size = message.text.len().max(1);
        if size > MAX_BYTES {
            let limit = MAX_BYTES / 1024;
            let id = message.event_id;
            return Err(format!(
                "message {id} is larger than the {limit} KiB that a hook gets"
            ));
        }
        match batches.last_mut() {
            Some(batch) if size <= room => {
                room -= size;
                batch.push(message);
            }
            _ => {
                room = MAX_BYTES - size;
                batches.push(vec![message]);
            }
        }
    }
    Ok(batches)
}

fn parts(item: &WindowItem, message: &Message) -> Vec<NewMessage> {
    let result = match message {
        Message::ToolResult(message) => Some(message),
        _ => None,
    };
    let parts = item.parts(message.content()).into_iter();
    let parts = parts.filter(|(id, blocks)| *id == item.event_id || !blocks.is_empty());
    parts
        .map(|(event_id, blocks)| {
            let own = event_id == item.event_id;
            let result = result.filter(|_| own);
            NewMessage {
                event_id,
                role: if own && !item.is_note {
                    message.role()
                } else {
                    Role::Internal
                },
                text: text(blocks),
                is_cut: false,
                tool_call_id: result.map(|it| it.result().tool_use_id.clone()),
                tool_name: result.map(|it| it.tool_name.clone()),
            }
        })
        .collect()
}

/// The text of the blocks. Of an attached file the model reads all, so a hook does.
fn text(blocks: &[Block]) -> String {
    let texts = blocks.iter().map(|block| match block {
        Block::Attachment(file) => {
            let content = Block::plain_text_of(&file.content);
            format!("{}\n{content}", block.plain_text())
        }
        block => block.plain_text(),
    });
    texts.collect::<Vec<String>>().join("\n")
}

/// Where the event is in the window, and whether the message there is its own.
pub(super) fn place_of(items: &[(&WindowItem, &Message)], id: EventId) -> Option<(usize, bool)> {
    items.iter().enumerate().find_map(|(at, (item, message))| {
        let parts = item.parts(message.content());
        let is_part = parts.iter().any(|(part, _)| *part == id);
        is_part.then_some((at, item.event_id == id))
    })
}

/// Cuts a text to so many bytes at most. Returns whether it was longer.
pub(super) fn cut(text: &mut String, bytes: usize) -> bool {
    let is_longer = text.len() > bytes;
    if is_longer {
        let mut end = (0..=bytes).rev();
        text.truncate(
            end.find(|at| text.is_char_boundary(*at))
                .unwrap_or_default(),
        );
    }
    is_longer
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(bytes: usize) -> NewMessage {
        NewMessage {
            event_id: EventId::generate(),
            role: Role::User,
            text: "é".repeat(bytes / 2),
            is_cut: false,
            tool_call_id: None,
            tool_name: None,
        }
    }

    #[test]
    fn the_newest_messages_have_room_and_the_first_of_them_may_be_cut() {
        let (shown, left_out) = newest(vec![message(10), message(MAX_BYTES), message(100)]);
        assert_eq!((shown.len(), left_out), (2, 1));
        assert!(shown[0].is_cut && !shown[1].is_cut);
        let bytes: usize = shown.iter().map(|message| message.text.len()).sum();
        assert_eq!(bytes, MAX_BYTES);
    }

    #[test]
    fn what_is_sent_is_shown_whole_in_batches() {
        let all = vec![message(10), message(MAX_BYTES - 8), message(4), message(6)];
        let batches = batches(all).expect("room");
        let sizes: Vec<usize> = batches.iter().map(Vec::len).collect();
        assert_eq!(sizes, [1, 2, 1]);
        let error = super::batches(vec![message(MAX_BYTES + 2)]).expect_err("no room");
        assert!(error.contains("256 KiB"), "{error}");
    }
}
