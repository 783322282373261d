use crate::{BlobHash, Block, PersistentBody, QueueOp};

impl PersistentBody {
    /// Calls `visit` with each blob that the event refers to.
    pub fn visit_blobs(&self, visit: &mut dyn FnMut(&BlobHash)) {
        match self {
            Self::Message(body) => {
                in_blocks(body.message.content(), visit);
                if let Some(proof) = &body.message.meta().request {
                    visit(&proof.tool_set_digest);
                }
            }
            Self::CustomMessage(body) => in_blocks(body.message.content(), visit),
            Self::QueueUpdate(body) => {
                for op in &body.ops {
                    match op {
                        QueueOp::Add { item, .. } => in_blocks(&item.content, visit),
                        QueueOp::Edit { content, .. } => in_blocks(content, visit),
                        _ => {}
                    }
                }
            }
            Self::ToolSet(body) => visit(&body.blob),
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
