use std::collections::{BTreeSet, HashMap};

use scorel_proto::{BlobHash, Message, PersistentBody, PersistentEvent};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The blobs that hold the tools of requests, as far as they are there.
#[derive(Debug, Default)]
pub struct ToolBlobs(HashMap<BlobHash, ToolBlob>);

/// The tools of a request.
#[derive(Debug)]
pub(super) struct ToolBlob {
    /// In the form of OpenAI's chat completions.
    pub(super) tools: Vec<Value>,
    /// The content has the hash that names it.
    pub(super) is_whole: bool,
}

impl ToolBlobs {
    /// Adds the blob that a record names in a request's proof to `wanted`.
    pub fn named_by(event: &PersistentEvent, wanted: &mut BTreeSet<BlobHash>) {
        if let PersistentBody::Message(body) = &event.body
            && let Message::Assistant(answer) = &body.message
            && let Some(proof) = &answer.meta.request
        {
            wanted.insert(proof.tool_set_digest.clone());
        }
    }

    /// Adds the content of a blob.
    pub fn insert(&mut self, name: BlobHash, content: &[u8]) {
        let is_whole = format!("{:x}", Sha256::digest(content)) == name.as_str();
        let tools: Vec<Value> = serde_json::from_slice(content).unwrap_or_default();
        let tools = tools.iter().map(as_function).collect();
        self.0.insert(name, ToolBlob { tools, is_whole });
    }

    pub(super) fn get(&self, name: &BlobHash) -> Option<&ToolBlob> {
        self.0.get(name)
    }
}

fn as_function(tool: &Value) -> Value {
    json!({ "type": "function", "function": tool })
}
