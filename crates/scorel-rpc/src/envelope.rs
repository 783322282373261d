//! JSON-RPC envelopes. In: the bytes of a frame; out: requests, whose params are still text.
//!
//! They are parsed here and not by jsonrpsee, so that the limits of depth, length and number hold before
//! anything is allocated for the content.

mod error;
mod id;
mod object;
mod scan;

use scorel_proto::RpcError;
use serde_json::value::RawValue;

pub(crate) use error::invalid_request;
pub(crate) use id::{IdKey, RequestId};
pub(crate) use object::{FrameEntry, RequestObject};

use crate::RpcLimits;
use crate::array::ArrayPrefix;
use error::parse_error;

#[derive(Debug)]
pub(crate) enum Frame {
    Single(FrameEntry),
    /// At least one entry.
    Batch(Vec<FrameEntry>),
    /// Answered with one error, whose id is null.
    Refused(RpcError),
    /// Ends the connection: a client that sends other bytes has lost track of frames.
    NotUtf8,
}

pub(crate) fn parse(frame: &[u8], limits: &RpcLimits) -> Frame {
    let Ok(text) = std::str::from_utf8(frame) else {
        return Frame::NotUtf8;
    };
    match entries(text, limits) {
        Ok(frame) => frame,
        Err(error) => Frame::Refused(error),
    }
}

fn entries(text: &str, limits: &RpcLimits) -> Result<Frame, RpcError> {
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
