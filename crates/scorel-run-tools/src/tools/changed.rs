//! The results of the tools that change files.

use scorel_engine::ToolOutcome;
use scorel_proto::BlobHash;
use scorel_tools::{ErrorCode, ReplacedFile, ToolError};
use scorel_workflow::{GuardedDocument, Transition};
use serde::Serialize;

use crate::run_files::RunFiles;
use crate::run_policy::RunPolicy;

/// A change of the run's document, for the records of the session.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenState {
    sha256: BlobHash,
    current_node_id: String,
    from: Option<String>,
    label: Option<String>,
    completed: Vec<String>,
}

/// The `details` of a success.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ChangeDetails {
    path: String,
    bytes: usize,
    sha256_before: Option<BlobHash>,
    sha256_after: BlobHash,
    state: Option<WrittenState>,
}

/// The hash that a call names as the one of the content that it replaces.
pub(super) fn expected_hash(text: Option<&str>) -> Result<Option<BlobHash>, ToolError> {
    let parsed = text.map(|text| text.to_ascii_lowercase().parse::<BlobHash>());
    parsed.transpose().map_err(|_| {
        let message = "`ifMatchSha256` is a SHA-256 of 64 hexadecimal digits, as results have it";
        ToolError::new(ErrorCode::InvalidArguments, message).with("field", "ifMatchSha256")
    })
}

/// Fails for more bytes than the run may write at once.
pub(super) fn check_size(path: &str, bytes: usize, policy: &RunPolicy) -> Result<(), ToolError> {
    let max = policy.max_write_bytes();
    if bytes as u64 <= max {
        return Ok(());
    }
    let message = format!("{path} would have {bytes} bytes; at most {max} are written");
    Err(ToolError::new(ErrorCode::WriteLimit, message)
        .with("path", path)
        .with("bytes", bytes)
        .with("maxWriteBytes", max))
}

/// The outcome of a change, with the figures that records are made of.
pub(super) fn report(
    run: &RunFiles,
    replaced: ReplacedFile,
    answer: impl FnOnce(&ReplacedFile, &str) -> String,
) -> ToolOutcome {
    let path = replaced.location.named();
    let text = answer(&replaced, &path);
    let change = run.guard.as_ref().and_then(|guard| guard.take_change());
    let details = ChangeDetails {
        bytes: replaced.content.len(),
        sha256_before: replaced.sha256_before,
        sha256_after: replaced.sha256_after.clone(),
        state: change.map(|change| written_state(&change, replaced.sha256_after)),
        path,
    };
    let mut outcome = ToolOutcome::success(text, &details);
    outcome.recorded.files = replaced.recorded;
    outcome
}

fn written_state(change: &GuardedDocument, sha256: BlobHash) -> WrittenState {
    let completed = change.transition.completed().map(str::to_owned);
    let (from, label) = match &change.transition {
        Transition::Move { from, label, .. } => (Some(from.clone()), label.clone()),
        Transition::Stay | Transition::End { .. } => (None, None),
    };
    WrittenState {
        sha256,
        current_node_id: change.document.state().current_node_id.clone(),
        from,
        label,
        completed: completed.into_iter().collect(),
    }
}
