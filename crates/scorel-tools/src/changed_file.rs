//! The report about a file that a call has changed.

use serde::Serialize;

use crate::content_hash::ContentHash;
use crate::diff::Diff;
use crate::roots::{Location, Original};
use crate::tool_output::ToolOutput;
use scorel_fs::TextEncoding;

/// The `details` of a success of `Edit` and `Write`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChangedFile {
    path: String,
    bytes: u64,
    /// Unless it is UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<&'static str>,
    sha256: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256_before: Option<String>,
    /// Of `Write`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) created: Option<bool>,
    /// Of `Edit`: replaced occurrences of all edits.
    #[serde(skip_serializing_if = "Option::is_none")]
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
        (encoding, hash, bytes): (TextEncoding, ContentHash, usize),
        diff: Diff,
        notes: Vec<String>,
    ) -> Self {
        Self {
            path: location.named(),
            bytes: bytes as u64,
            encoding: encoding.name(),
            sha256: hash.to_string(),
            sha256_before: original.map(|it| it.hash().to_string()),
            created: None,
            replacements: None,
            diff,
            notes,
        }
    }

    /// The output of the call: a sentence, and the notes.
    pub(crate) fn output(&self, sentence: &str) -> ToolOutput {
        let mut text = format!("{sentence}\n");
        for note in &self.notes {
            text.push_str(note);
            text.push('\n');
        }
        ToolOutput::new(text, self)
    }
}
