use crate::{BlobHash, Block, Message, PersistentBody, QueueOp, ToolResultContent};

impl PersistentBody {
    /// Calls `visit` with each blob that the event refers to.
    pub fn visit_blobs(&self, visit: &mut dyn FnMut(&BlobHash)) {
        match self {
            Self::Message(body) => in_message(&body.message, visit),
            Self::CustomMessage(body) => in_message(&body.message, visit),
            Self::QueueUpdate(body) => {
                for op in &body.ops {
                    match op {
                        QueueOp::Add { item, .. } => in_blocks(&item.content, visit),
                        QueueOp::Edit { content, .. } => in_blocks(content, visit),
                        _ => {}
                    }
                }
            }
            Self::RunnerStart(body) => {
                if let Some(handover) = &body.handover {
                    visit(&handover.blob);
                }
            }
            Self::RunnerExit(body) => {
                if let Some(log) = &body.log {
                    visit(&log.blob);
                }
            }
            _ => {}
        }
    }
}

fn in_message(message: &Message, visit: &mut dyn FnMut(&BlobHash)) {
    match message {
        Message::User(message) => in_blocks(&message.content, visit),
        Message::Assistant(message) => in_blocks(&message.content, visit),
        Message::Internal(message) => in_blocks(&message.content, visit),
        Message::ToolResult(message) => {
            let [ToolResultContent::ToolResult(result)] = &message.content;
            in_blocks(&result.content, visit);
        }
    }
}

fn in_blocks(blocks: &[Block], visit: &mut dyn FnMut(&BlobHash)) {
    for block in blocks {
        match block {
            Block::Image { blob, .. } => visit(blob),
            Block::Blob { sha256, .. } => visit(sha256),
            Block::ToolResult(result) => in_blocks(&result.content, visit),
            Block::Attachment(file) => in_blocks(&file.content, visit),
            Block::Text { .. } | Block::Thinking { .. } | Block::ToolUse { .. } => {}
        }
    }
}
