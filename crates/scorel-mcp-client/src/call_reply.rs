//! The answer to `tools/call`.

use std::sync::Arc;

use scorel_engine::{BlobSink, ToolOutcome, spawn_blocking};
use scorel_outside_tool::{ContentError, ResultContent, bad_reply};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::content::{Content, Resource};

/// Bytes of a structured result that user interfaces get.
const MAX_STRUCTURED: usize = 64 * 1024;

/// The media type of bytes of which nothing is said.
const BYTES: &str = "application/octet-stream";

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallReply {
    result_type: Option<String>,
    #[serde(default)]
    content: Vec<Content>,
    structured_content: Option<Box<RawValue>>,
    #[serde(default)]
    is_error: bool,
}

/// The outcome of a call that was answered.
pub(crate) async fn outcome(reply: Box<RawValue>, blobs: Arc<dyn BlobSink>) -> ToolOutcome {
    let read = move || match serde_json::from_str::<CallReply>(reply.get()) {
        Ok(reply) => reply.outcome(&*blobs),
        Err(error) => bad_reply(&format!("its answer is not a result of a tool: {error}")),
    };
    let outcome = spawn_blocking(read).await;
    outcome.unwrap_or_else(|_| bad_reply("its result could not be kept"))
}

impl CallReply {
    fn outcome(self, blobs: &dyn BlobSink) -> ToolOutcome {
        match self.result_type.as_deref() {
            None | Some("complete") => {}
            Some("input_required") => {
                let reason = "the server asks for input during the call, which is not given";
                return ToolOutcome::failure("E_INPUT_REQUIRED", reason, Map::new());
            }
            Some(other) => return bad_reply(&format!("its result is of the kind {other:?}")),
        }
        self.kept(blobs)
            .unwrap_or_else(|error| bad_reply(&error.to_string()))
    }

    fn kept(self, blobs: &dyn BlobSink) -> Result<ToolOutcome, ContentError> {
        let mut content = ResultContent::new(blobs);
        for part in self.content {
            add_content(part, &mut content)?;
        }
        let mut details = Map::new();
        if let Some(structured) = self.structured_content {
            if content.is_empty() {
                content.text(structured.get().to_owned())?;
            }
            if structured.get().len() <= MAX_STRUCTURED {
                let value: Value = serde_json::from_str(structured.get()).unwrap_or_default();
                details.insert("structuredContent".to_owned(), value);
            }
        }
        Ok(content.outcome(self.is_error, details))
    }
}

/// Adds a part to a result.
///
/// # Errors
/// See [`ContentError`].
pub fn add_content(part: Content, content: &mut ResultContent<'_>) -> Result<(), ContentError> {
    match part {
        Content::Text { text } => content.text(text),
        Content::Image { data, mime_type } => match content.picture(&data, mime_type.clone()) {
            // No model would take it, but a person may look at it.
            Err(ContentError::NoPicture | ContentError::LargePicture) => {
                content.bytes(&data, &mime_type)
            }
            added => added,
        },
        Content::Audio { data, mime_type } => content.bytes(&data, &mime_type),
        Content::ResourceLink { uri } => content.text(uri),
        Content::Resource { resource } => add_resource(resource, content),
        Content::Unknown => content.text("[content of a kind that is not known]".to_owned()),
    }
}

fn add_resource(resource: Resource, content: &mut ResultContent<'_>) -> Result<(), ContentError> {
    match (resource.text, resource.blob) {
        (Some(text), _) => content.text(text),
        (None, Some(blob)) => {
            let media_type = resource.mime_type.as_deref().unwrap_or(BYTES);
            content.bytes(&blob, media_type)
        }
        (None, None) => content.text(resource.uri),
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Mutex;

    use scorel_proto::{BlobHash, Block};
    use serde_json::json;

    use super::*;

    #[derive(Debug, Default)]
    struct Kept(Mutex<Vec<Vec<u8>>>);

    impl BlobSink for Kept {
        fn store(&self, bytes: &[u8]) -> io::Result<BlobHash> {
            self.0.lock().unwrap().push(bytes.to_vec());
            Ok("0".repeat(64).parse().unwrap())
        }
    }

    fn outcome(reply: Value) -> (ToolOutcome, Vec<Vec<u8>>) {
        let kept = Kept::default();
        let reply: CallReply = serde_json::from_value(reply).unwrap();
        let outcome = reply.outcome(&kept);
        (outcome, kept.0.into_inner().unwrap())
    }

    #[test]
    fn parts_become_texts_pictures_and_blobs() {
        let (outcome, kept) = outcome(json!({ "content": [
            { "type": "text", "text": "one" },
            { "type": "image", "data": "aGk=", "mimeType": "image/png" },
            { "type": "image", "data": "aGk=", "mimeType": "image/tiff" },
            { "type": "audio", "data": "aG8=", "mimeType": "audio/wav" },
            { "type": "resource_link", "uri": "file:///a", "name": "a" },
            { "type": "resource", "resource": { "uri": "file:///b", "text": "b" } },
            { "type": "resource", "resource": { "uri": "file:///c", "blob": "aGE=" } },
            { "type": "later" },
        ]}));
        let texts = Block::plain_text_of(&outcome.content);
        for told in [
            "one",
            "image/tiff",
            "audio/wav",
            "file:///a",
            BYTES,
            "not known",
        ] {
            assert!(texts.contains(told), "{told}: {texts}");
        }
        assert!(matches!(outcome.content[1], Block::Image { .. }));
        assert_eq!(kept, [b"hi", b"hi", b"ho", b"ha"]);
        assert!(!outcome.is_error);
    }

    #[test]
    fn structured_content_is_a_text_where_there_is_no_other() {
        let (alone, _) = outcome(json!({ "structuredContent": {"a": 1} }));
        assert_eq!(Block::plain_text_of(&alone.content), "{\"a\":1}");
        let text = json!([{ "type": "text", "text": "one" }]);
        let (beside, _) = outcome(json!({ "content": text, "structuredContent": {"a": 1} }));
        assert_eq!(Block::plain_text_of(&beside.content), "one");
        assert_eq!(beside.details.unwrap()["structuredContent"]["a"], 1);
    }

    #[test]
    fn an_error_and_a_question_are_told() {
        let text = json!([{ "type": "text", "text": "no" }]);
        let (failed, _) = outcome(json!({ "content": text, "isError": true }));
        assert!(failed.is_error);
        let (asked, _) = outcome(json!({ "resultType": "input_required", "inputRequests": {} }));
        assert_eq!(asked.details.unwrap()["error"]["code"], "E_INPUT_REQUIRED");
    }
}
