//! The answer of an extension's tool.

use std::sync::Arc;

use scorel_engine::{BlobSink, ToolOutcome, spawn_blocking};
use scorel_outside_tool::{ContentError, ResultContent, bad_reply};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The result of `tool.call`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolReply {
    content: ReplyContent,
    #[serde(default)]
    is_error: bool,
    #[serde(default)]
    details: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum ReplyContent {
    Text(String),
    Parts(Vec<ReplyPart>),
}

#[derive(Debug, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
enum ReplyPart {
    Text { text: String },
    Image { data: String, mime_type: String },
}

/// The outcome of a call that was answered.
pub(super) async fn outcome(reply: Value, blobs: Arc<dyn BlobSink>) -> ToolOutcome {
    let reply = match serde_json::from_value::<ToolReply>(reply) {
        Ok(reply) => reply,
        Err(error) => return bad_reply(&format!("its answer is not a result of a tool: {error}")),
    };
    let made = spawn_blocking(move || made(reply, &*blobs)).await;
    match made {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(error)) => bad_reply(&error.to_string()),
        Err(_) => bad_reply("its result could not be kept"),
    }
}

fn made(reply: ToolReply, blobs: &dyn BlobSink) -> Result<ToolOutcome, ContentError> {
    let parts = match reply.content {
        ReplyContent::Text(text) => vec![ReplyPart::Text { text }],
        ReplyContent::Parts(parts) => parts,
    };
    let mut content = ResultContent::new(blobs);
    for part in parts {
        match part {
            ReplyPart::Text { text } => content.text(text)?,
            ReplyPart::Image { data, mime_type } => content.picture(&data, mime_type)?,
        }
    }
    Ok(content.outcome(reply.is_error, reply.details))
}
