use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::BlobHash;

/// The proof of a request to a model: one that is built again from the log can be compared with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestProof {
    /// The SHA-256, in hexadecimal, of lines that each end with a line feed: the system prompt as a JSON string,
    /// `toolSetDigest`, then each message of the context as JSON.
    pub request_sha256: String,
    /// The blob that holds the tools of the request: a JSON array of `name`, `description` and `parameters`.
    pub tool_set_digest: BlobHash,
}
