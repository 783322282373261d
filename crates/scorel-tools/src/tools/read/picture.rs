//! Pictures for the model.

use std::fs::File;
use std::io::Read as _;

use scorel_proto::Block;
use serde::Serialize;

use super::header::FileHeader;
use super::text::failed;
use crate::error::{ErrorCode, ToolError};
use crate::limits::MAX_PICTURE_BYTES;
use crate::picture::{Picture, PictureProblem};
use crate::roots::Location;
use crate::running_call::RunningCall;
use crate::tool_output::ToolOutput;

/// The `details` of a success.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PictureFigures {
    path: String,
    bytes: u64,
    sha256: String,
    media_type: &'static str,
    /// In pixels.
    width: usize,
    height: usize,
    truncated: bool,
}

/// Stores a picture and shows it to the model.
pub(super) fn show(
    call: &RunningCall,
    location: &Location,
    file: File,
    header: &FileHeader,
) -> Result<ToolOutput, ToolError> {
    let (content, picture) = checked(location, file, header)?;
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
        sha256: blob.to_string(),
        media_type,
        width,
        height,
        truncated: false,
    };
    let text = format!("{location}: {media_type}, {width} x {height} pixels, {bytes} bytes.\n");
    let picture = Block::Image {
        media_type: media_type.to_owned(),
        blob,
    };
    Ok(ToolOutput {
        picture: Some(picture),
        ..ToolOutput::new(text, &figures)
    })
}

/// Reads a picture that providers accept.
pub(super) fn checked(
    location: &Location,
    file: File,
    header: &FileHeader,
) -> Result<(Vec<u8>, Picture), ToolError> {
    let content = read(location, file, header)?;
    let picture = Picture::of(&content).map_err(|problem| {
        let code = match problem {
            PictureProblem::TooLarge { .. } | PictureProblem::TooLong { .. } => {
                ErrorCode::ReadLimit
            }
            _ => ErrorCode::Binary,
        };
        location.error(code, format!("{location} is not shown: {problem}"))
    })?;
    Ok((content, picture))
}

fn read(location: &Location, file: File, header: &FileHeader) -> Result<Vec<u8>, ToolError> {
    let mut content = Vec::new();
    if header.file_size <= MAX_PICTURE_BYTES {
        file.take(MAX_PICTURE_BYTES + 1)
            .read_to_end(&mut content)
            .map_err(|error| failed(location, &error))?;
    }
    let bytes = header.file_size.max(content.len() as u64);
    if bytes > MAX_PICTURE_BYTES {
        let message = format!(
            "{location} is a picture of {bytes} bytes; at most {MAX_PICTURE_BYTES} can be shown"
        );
        let error = ToolError::new(ErrorCode::ReadLimit, message);
        return Err(error.with("path", location.named()));
    }
    Ok(content)
}

fn not_stored(location: &Location, error: &std::io::Error) -> ToolError {
    let message = format!("{location} cannot be kept for the conversation: {error}");
    location.error(ErrorCode::Internal, message)
}
