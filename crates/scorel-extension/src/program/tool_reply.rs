//! The answer of an extension's tool.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use scorel_engine::{BlobSink, ToolOutcome, spawn_blocking};
use scorel_proto::Block;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Characters of a result that the model gets; the whole is a blob.
const MAX_TEXT: usize = 30_000;

/// Bytes of a picture.
const MAX_PICTURE: usize = 5 * 1024 * 1024;

/// The pictures that models take.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

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
        Ok(Err(reason)) => bad_reply(&reason),
        Err(_) => bad_reply("its result could not be kept"),
    }
}

/// A call whose answer cannot be used.
fn bad_reply(reason: &str) -> ToolOutcome {
    ToolOutcome::failure("E_BAD_RESULT", reason, Map::new())
}

fn made(reply: ToolReply, blobs: &dyn BlobSink) -> Result<ToolOutcome, String> {
    let parts = match reply.content {
        ReplyContent::Text(text) => vec![ReplyPart::Text { text }],
        ReplyContent::Parts(parts) => parts,
    };
    let mut outcome = ToolOutcome::success("", &Value::Object(reply.details));
    outcome.is_error = reply.is_error;
    if let (true, Some(details)) = (reply.is_error, &mut outcome.details) {
        details["ok"] = false.into();
    }
    outcome.content.clear();
    let mut room = MAX_TEXT;
    for part in parts {
        match part {
            ReplyPart::Text { text } => outcome.content.push(bounded(text, &mut room, blobs)?),
            ReplyPart::Image { data, mime_type } => {
                outcome.content.push(picture(&data, mime_type, blobs)?);
            }
        }
    }
    if outcome.content.is_empty() {
        outcome.content.push(Block::text("(no output)"));
    }
    Ok(outcome)
}

/// A text, or its beginning with the place of the whole.
fn bounded(text: String, room: &mut usize, blobs: &dyn BlobSink) -> Result<Block, String> {
    let end = text.char_indices().nth(*room).map(|(at, _)| at);
    let Some(end) = end else {
        *room -= text.chars().count();
        return Ok(Block::text(text));
    };
    *room = 0;
    let blob = blobs
        .store(text.as_bytes())
        .map_err(|error| error.to_string())?;
    let left = json!({ "bytes": text.len(), "blob": blob });
    Ok(Block::text(format!(
        "{}\n[cut here; the whole text is kept: {left}]",
        &text[..end]
    )))
}

fn picture(data: &str, media_type: String, blobs: &dyn BlobSink) -> Result<Block, String> {
    if !PICTURES.contains(&media_type.as_str()) {
        return Err(format!("a picture is one of {}", PICTURES.join(", ")));
    }
    if data.len() / 4 * 3 > MAX_PICTURE {
        return Err(format!("a picture has at most {MAX_PICTURE} bytes"));
    }
    let bytes = STANDARD.decode(data);
    let bytes = bytes.map_err(|error| format!("a picture is not base64: {error}"))?;
    let blob = blobs.store(&bytes).map_err(|error| error.to_string())?;
    Ok(Block::Image { media_type, blob })
}
