//! Pictures for the model.

use std::fs::File;
use std::io::Read as _;

use scorel_proto::Block;
use serde::Serialize;

use super::header::FileHeader;
use super::text::failed;
use crate::error::{ErrorCode, ToolError};
use crate::limits::{MAX_PICTURE_BYTES, MAX_PICTURE_SIDE};
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

/// A picture that providers accept.
#[derive(Debug)]
pub(super) struct CheckedPicture {
    pub(super) content: Vec<u8>,
    /// In pixels.
    pub(super) width: usize,
    pub(super) height: usize,
}

/// Stores a picture and shows it to the model.
pub(super) fn show(
    call: &RunningCall,
    location: &Location,
    file: File,
    header: &FileHeader,
    media_type: &'static str,
) -> Result<ToolOutput, ToolError> {
    let CheckedPicture {
        content,
        width,
        height,
    } = checked(location, file, header, media_type)?;
    let blob = call
        .files
        .host
        .blobs()
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
    Ok(ToolOutput::new(text, &figures).with_picture(picture))
}

/// Reads a picture.
///
/// One that providers reject would make every later request of the session fail, since it stays in the
/// context. So pictures that are known to be rejected are refused here.
pub(super) fn checked(
    location: &Location,
    file: File,
    header: &FileHeader,
    media_type: &str,
) -> Result<CheckedPicture, ToolError> {
    let content = read(location, file, header)?;
    let size = imagesize::blob_size(&content).map_err(|_| {
        let message = format!("{location} begins like {media_type}, but is damaged");
        ToolError::new(ErrorCode::Binary, message).with("path", location.named())
    })?;
    let (width, height) = (size.width, size.height);
    if !(1..=MAX_PICTURE_SIDE).contains(&width) || !(1..=MAX_PICTURE_SIDE).contains(&height) {
        let limit = format!("{MAX_PICTURE_SIDE} on a side");
        return Err(too_large(
            location,
            &format!("{width} x {height} pixels"),
            &limit,
        ));
    }
    Ok(CheckedPicture {
        content,
        width,
        height,
    })
}

fn read(location: &Location, file: File, header: &FileHeader) -> Result<Vec<u8>, ToolError> {
    let mut content = Vec::new();
    if header.file_size() <= MAX_PICTURE_BYTES {
        file.take(MAX_PICTURE_BYTES + 1)
            .read_to_end(&mut content)
            .map_err(|error| failed(location, &error))?;
    }
    let bytes = header.file_size().max(content.len() as u64);
    if bytes > MAX_PICTURE_BYTES {
        let (is, limit) = (format!("{bytes} bytes"), MAX_PICTURE_BYTES.to_string());
        return Err(too_large(location, &is, &limit));
    }
    Ok(content)
}

fn too_large(location: &Location, is: &str, limit: &str) -> ToolError {
    let message = format!("{location} is a picture of {is}; at most {limit} can be shown");
    ToolError::new(ErrorCode::ReadLimit, message).with("path", location.named())
}

fn not_stored(location: &Location, error: &std::io::Error) -> ToolError {
    let message = format!("{location} cannot be kept for the conversation: {error}");
    ToolError::new(ErrorCode::Internal, message).with("path", location.named())
}
