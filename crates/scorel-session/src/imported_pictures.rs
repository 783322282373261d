//! Pictures in the messages of a bundle, which anybody may have made.

use scorel_journal::Blobs;
use scorel_proto::{BlobHash, Block, ImportReport};
use serde_json::{Value, json};

/// Counts the pictures of a message, gives each the media type that `media_type` finds, and puts a note in
/// the place of one for which there is none. Returns whether the message has changed.
///
/// The message is looked at as JSON, so that what newer versions have written stays.
pub(crate) fn check(
    message: &mut Value,
    blobs: &Blobs,
    media_type: &impl Fn(&[u8]) -> Option<&'static str>,
    report: &mut ImportReport,
) -> bool {
    let Some(blocks) = message.get_mut("content").and_then(Value::as_array_mut) else {
        return false;
    };
    let mut has_changed = false;
    for block in blocks {
        if block["type"] != "image" {
            has_changed |= check(block, blobs, media_type, report);
            continue;
        }
        let blob: Option<BlobHash> = block["blob"].as_str().and_then(|it| it.parse().ok());
        // Of one that is missing the conversation says so.
        let Some(content) = blob.and_then(|blob| blobs.get(&blob).ok()) else {
            report.images += 1;
            continue;
        };
        let Some(found) = media_type(&content) else {
            report.dropped_images += 1;
            let named = block["mediaType"].as_str().unwrap_or("image");
            *block = json!(Block::text(format!("[{named}]")));
            has_changed = true;
            continue;
        };
        report.images += 1;
        if block["mediaType"] != found {
            block["mediaType"] = found.into();
            has_changed = true;
        }
    }
    has_changed
}
