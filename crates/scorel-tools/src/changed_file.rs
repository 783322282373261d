//! The report about a file that a call has changed.

use scorel_engine::ToolOutcome;
use scorel_proto::BlobHash;
use serde::Serialize;

use crate::diff::Diff;
use crate::roots::{Location, Original};
use scorel_fs::TextEncoding;

/// The `details` of a success of `Edit` and `Write`.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedFile {
    path: String,
    bytes: u64,
    /// Unless it is UTF-8.
    encoding: Option<&'static str>,
    sha256: BlobHash,
    sha256_before: Option<BlobHash>,
    /// Of `Write`.
    pub(crate) created: Option<bool>,
    /// Of `Edit`: replaced occurrences of all edits.
    pub(crate) replacements: Option<usize>,
    #[serde(flatten)]
    diff: Diff,
    /// Remarks in the text for the model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

impl ChangedFile {
    /// The figures of a file that had the content of `original`; the new one has this encoding, hash and length in
    /// bytes.
    pub(crate) fn new(
        location: &Location,
        original: Option<&Original>,
        (encoding, hash, bytes): (TextEncoding, BlobHash, usize),
        diff: Diff,
        notes: Vec<String>,
    ) -> Self {
        Self {
            path: location.named(),
            bytes: bytes as u64,
            encoding: encoding.name(),
            sha256: hash,
            sha256_before: original.map(|it| it.hash.clone()),
            created: None,
            replacements: None,
            diff,
            notes,
        }
    }

    /// The outcome of the call: a sentence, and the notes.
    pub(crate) fn outcome(&self, sentence: &str) -> ToolOutcome {
        let mut text = format!("{sentence}\n");
        for note in &self.notes {
            text.push_str(note);
            text.push('\n');
        }
        ToolOutcome::success(text, self)
    }
}
