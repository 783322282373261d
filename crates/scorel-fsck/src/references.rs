use std::collections::HashMap;

use scorel_proto::{BlobHash, Block, Message, PersistentBody, QueueOp, ToolResultContent};

use crate::finding::ByteRange;

/// The blobs that a log references, each with the first record that does.
pub(crate) type References = HashMap<BlobHash, ByteRange>;

/// Adds the blobs that an event references.
pub(crate) fn add_references(body: &PersistentBody, span: ByteRange, references: &mut References) {
    let mut add = |hash: &BlobHash| {
        references.entry(hash.clone()).or_insert(span);
    };
    match body {
        PersistentBody::Message(body) => in_message(&body.message, &mut add),
        PersistentBody::CustomMessage(body) => in_message(&body.message, &mut add),
        PersistentBody::QueueUpdate(body) => {
            for op in &body.ops {
                match op {
                    QueueOp::Add { item, .. } => in_blocks(&item.content, &mut add),
                    QueueOp::Edit { content, .. } => in_blocks(content, &mut add),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

fn in_message(message: &Message, add: &mut dyn FnMut(&BlobHash)) {
    match message {
        Message::User(message) => in_blocks(&message.content, add),
        Message::Assistant(message) => in_blocks(&message.content, add),
        Message::Internal(message) => in_blocks(&message.content, add),
        Message::ToolResult(message) => {
            let [ToolResultContent::ToolResult(result)] = &message.content;
            in_blocks(&result.content, add);
        }
    }
}

fn in_blocks(blocks: &[Block], add: &mut dyn FnMut(&BlobHash)) {
    for block in blocks {
        match block {
            Block::Image { blob, .. } => add(blob),
            Block::Blob { sha256, .. } => add(sha256),
            Block::ToolResult(result) => in_blocks(&result.content, add),
            Block::Text { .. } | Block::Thinking { .. } | Block::ToolUse { .. } => {}
        }
    }
}
