//! JSON-RPC envelopes. In: the bytes of a frame; out: requests and answers, whose content is still text.

mod error;
mod id;
mod members;
mod object;
mod scan;

use scorel_proto::RpcError;
use serde_json::value::RawValue;

pub use error::invalid_request;
pub use id::{IdKey, RequestId};
pub use members::Members;
pub use object::{FrameEntry, RequestObject};
pub use scan::ScanError;

use crate::array::ArrayPrefix;
use error::parse_error;

/// Limits of a frame. They hold before anything is allocated for its content.
#[derive(Debug, Clone, Copy)]
pub struct EnvelopeLimits {
    /// Nesting of arrays and objects.
    pub nesting: usize,
    /// Entries of a batch.
    pub batch: usize,
    /// JSON values in the params of a call, containers included.
    pub values: usize,
}

/// The content of a frame.
#[derive(Debug)]
pub enum Frame<'a> {
    Single(FrameEntry<'a>),
    /// At least one entry.
    Batch(Vec<FrameEntry<'a>>),
    /// Answered with one error, whose id is null.
    Refused(RpcError),
    /// Ends the connection: a client that sends other bytes has lost track of frames.
    NotUtf8,
}

impl<'a> Frame<'a> {
    /// Parses a frame of a stranger.
    pub fn parse(frame: &'a [u8], limits: &EnvelopeLimits) -> Self {
        let Ok(text) = std::str::from_utf8(frame) else {
            return Self::NotUtf8;
        };
        entries(text, limits).unwrap_or_else(Self::Refused)
    }
}

/// Checks the content of a message, or a part of it, as [`Frame::parse`] checks a whole one.
///
/// # Errors
/// It is nested deeper than `nesting`, or breaks another limit of a frame.
pub fn check_content(text: &str, nesting: usize) -> Result<(), ScanError> {
    scan::check(text.as_bytes(), nesting)
}

fn entries<'a>(text: &'a str, limits: &EnvelopeLimits) -> Result<Frame<'a>, RpcError> {
    scan::check(text.as_bytes(), limits.nesting).map_err(parse_error)?;
    if !text.trim_start().starts_with('[') {
        let value: &RawValue = serde_json::from_str(text).map_err(parse_error)?;
        return Ok(Frame::Single(object::parse(value, limits.values)));
    }
    let batch = ArrayPrefix::parse(text, limits.batch).map_err(parse_error)?;
    if batch.len == 0 {
        return Err(invalid_request("a batch has at least one entry"));
    }
    if batch.len > limits.batch {
        let message = format!("a batch has at most {} entries", limits.batch);
        return Err(invalid_request(message));
    }
    let entries = batch.first.into_iter();
    Ok(Frame::Batch(
        entries
            .map(|entry| object::parse(entry, limits.values))
            .collect(),
    ))
}
