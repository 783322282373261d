use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use scorel_proto::BlobHash;
use serde_json::{Value, json};

use crate::blobs::BlobSource;

/// The part of a message that holds a picture; a note in its place if it cannot be read, so that
/// one lost file does not end a conversation.
pub(super) fn part(blobs: &dyn BlobSource, media_type: &str, blob: &BlobHash) -> Value {
    match blobs.read(blob) {
        Ok(bytes) => {
            let data = STANDARD.encode(bytes);
            json!({
                "type": "image_url",
                "image_url": {"url": format!("data:{media_type};base64,{data}")},
            })
        }
        Err(error) => {
            tracing::warn!(%blob, %error, "a picture of the conversation cannot be read");
            json!({"type": "text", "text": "[a picture that can no longer be read]"})
        }
    }
}
