//! Pictures for the model.

use std::io::Read as _;

use scorel_engine::ToolOutcome;
use scorel_proto::{BlobHash, Block};
use serde::Serialize;

use super::opened_file::OpenedFile;
use crate::error::{ErrorCode, ToolError};
use crate::limits::MAX_PICTURE_BYTES;
use crate::picture::{Picture, PictureProblem};
use crate::roots::Location;
use crate::running_call::RunningCall;

/// The `details` of a success.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PictureFigures {
    path: String,
    bytes: u64,
    sha256: BlobHash,
    media_type: &'static str,
    /// In pixels.
    width: usize,
    height: usize,
    truncated: bool,
}

/// Stores a picture and shows it to the model.
pub(super) fn show(call: &RunningCall, opened: &OpenedFile<'_>) -> Result<ToolOutcome, ToolError> {
    let location = opened.location;
    let (content, picture) = checked(opened)?;
    let Picture {
        media_type,
        width,
        height,
    } = picture;
    let blob = call
        .files
        .host
        .blobs
        .store(&content)
        .map_err(|error| not_stored(location, &error))?;
    let bytes = content.len() as u64;
    let figures = PictureFigures {
        path: location.named(),
        bytes,
        sha256: blob.clone(),
        media_type,
        width,
        height,
        truncated: false,
    };
    let text = format!("{location}: {media_type}, {width} x {height} pixels, {bytes} bytes.\n");
    let mut outcome = ToolOutcome::success(text, &figures);
    outcome.content.push(Block::Image {
        media_type: media_type.to_owned(),
        blob,
    });
    Ok(outcome)
}

/// Reads a picture that providers accept.
pub(super) fn checked(opened: &OpenedFile<'_>) -> Result<(Vec<u8>, Picture), ToolError> {
    let content = read(opened)?;
    let picture = Picture::of(&content).map_err(|problem| {
        let code = match problem {
            PictureProblem::TooLarge { .. } | PictureProblem::TooLong { .. } => {
                ErrorCode::ReadLimit
            }
            _ => ErrorCode::Binary,
        };
        let reason = format!("is not shown: {problem}");
        opened.location.refused(code, reason)
    })?;
    Ok((content, picture))
}

fn read(opened: &OpenedFile<'_>) -> Result<Vec<u8>, ToolError> {
    let mut content = Vec::new();
    if opened.size <= MAX_PICTURE_BYTES {
        (&opened.file)
            .take(MAX_PICTURE_BYTES + 1)
            .read_to_end(&mut content)
            .map_err(|error| opened.failed(&error))?;
    }
    let bytes = opened.size.max(content.len() as u64);
    if bytes > MAX_PICTURE_BYTES {
        let reason =
            format!("is a picture of {bytes} bytes; at most {MAX_PICTURE_BYTES} can be shown");
        return Err(opened.location.refused(ErrorCode::ReadLimit, reason));
    }
    Ok(content)
}

fn not_stored(location: &Location, error: &std::io::Error) -> ToolError {
    let reason = format!("cannot be kept for the conversation: {error}");
    location.refused(ErrorCode::Internal, reason)
}
