//! From the bytes of a frame to requests. Only the envelope is parsed; params stay text.

mod id;
mod object;
mod scan;

use scorel_proto::{ErrorCode, RpcError};
use serde_json::value::RawValue;

pub(crate) use id::{IdKey, RequestId};
pub(crate) use object::{Entry, Request};

use crate::Limits;
use crate::array::Array;

/// What a frame holds.
#[derive(Debug)]
pub(crate) enum Frame {
    /// One entry.
    Single(Entry),
    /// At least one entry.
    Batch(Vec<Entry>),
    /// No entries, but an error to report without an id.
    Refused(RpcError),
    /// Not text; nothing after it can be trusted.
    NotUtf8,
}

/// Parses a frame.
pub(crate) fn parse(frame: &[u8], limits: &Limits) -> Frame {
    let Ok(text) = std::str::from_utf8(frame) else {
        return Frame::NotUtf8;
    };
    match entries(text, limits) {
        Ok(frame) => frame,
        Err(error) => Frame::Refused(error),
    }
}

fn entries(text: &str, limits: &Limits) -> Result<Frame, RpcError> {
    scan::check(text.as_bytes(), limits.nesting).map_err(unreadable)?;
    if !text.trim_start().starts_with('[') {
        let value: &RawValue = serde_json::from_str(text).map_err(unreadable)?;
        return Ok(Frame::Single(object::parse(value, limits.values)));
    }
    let batch = Array::parse(text, limits.batch).map_err(unreadable)?;
    if batch.len == 0 {
        return Err(invalid("a batch has at least one entry"));
    }
    if batch.len > limits.batch {
        let message = format!("a batch has at most {} entries", limits.batch);
        return Err(invalid(message));
    }
    let entries = batch.first.into_iter();
    Ok(Frame::Batch(
        entries
            .map(|entry| object::parse(entry, limits.values))
            .collect(),
    ))
}

fn unreadable(error: impl std::fmt::Display) -> RpcError {
    RpcError::new(
        ErrorCode::ParseError,
        format!("not readable as JSON: {error}"),
    )
}

pub(crate) fn invalid(message: impl Into<String>) -> RpcError {
    RpcError::new(ErrorCode::InvalidRequest, message)
}
