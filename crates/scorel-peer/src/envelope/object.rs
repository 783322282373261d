//! One request, notification or answer of a stranger.

use std::borrow::Cow;

use scorel_proto::{ErrorCode, RpcError};
use serde_json::json;
use serde_json::value::RawValue;

use super::error::{invalid_request, parse_error};
use super::id::RequestId;
use super::members::Members;
use super::scan;

/// One entry of a frame.
#[derive(Debug)]
pub enum FrameEntry<'a> {
    Call(RequestId, RequestObject<'a>),
    /// Gets no reply.
    Notification(RequestObject<'a>),
    /// An answer to a call of this side.
    Answer(Members<&'a RawValue>),
    /// The error is the reply.
    Invalid(RequestId, RpcError),
}

#[derive(Debug)]
pub struct RequestObject<'a> {
    pub method: Box<str>,
    /// An object or an array.
    pub params: Option<&'a str>,
}

/// Parses one entry. `values` is [`EnvelopeLimits::values`](super::EnvelopeLimits::values).
pub(super) fn parse(value: &RawValue, values: usize) -> FrameEntry<'_> {
    let refused = |message: &str| FrameEntry::Invalid(RequestId::null(), invalid_request(message));
    if !value.get().starts_with('{') {
        return refused("a request is an object");
    }
    let members: Members<&RawValue> = match serde_json::from_str(value.get()) {
        Ok(members) => members,
        Err(error) => return refused(&error.to_string()),
    };
    if members.is_answer() {
        return answer(members, values);
    }
    let id = match members.id.map(RequestId::parse) {
        Some(None) => {
            return refused("`id` is a string of at most 256 bytes, a safe integer or null");
        }
        Some(id) => id,
        None => None,
    };
    match (request(&members, values), id) {
        (Ok(request), Some(id)) => FrameEntry::Call(id, request),
        (Ok(request), None) => FrameEntry::Notification(request),
        (Err(error), id) => FrameEntry::Invalid(id.unwrap_or_else(RequestId::null), error),
    }
}

/// An error becomes a tree, so it is held to the limit of params. A larger one is as good as one that
/// cannot be read.
fn answer(mut members: Members<&RawValue>, values: usize) -> FrameEntry<'_> {
    let error = members.error.map(RawValue::get).unwrap_or_default();
    if check_values(error, values).is_err() {
        members.error = Some(RawValue::FALSE);
    }
    FrameEntry::Answer(members)
}

fn request<'a>(
    members: &Members<&'a RawValue>,
    values: usize,
) -> Result<RequestObject<'a>, RpcError> {
    let version = members
        .jsonrpc
        .map(RawValue::get)
        .map(serde_json::from_str::<Cow<'_, str>>);
    if !matches!(version, Some(Ok(version)) if version == "2.0") {
        return Err(invalid_request("`jsonrpc` must be \"2.0\""));
    }
    let method = members
        .method
        .map(|method| serde_json::from_str(method.get()));
    let Some(Ok(method)) = method else {
        return Err(invalid_request("`method` must be a string"));
    };
    let params = members
        .params
        .map(RawValue::get)
        .filter(|params| *params != "null");
    if params.is_some_and(|params| !params.starts_with(['{', '['])) {
        let message = "`params` must be an object or an array";
        return Err(RpcError::new(ErrorCode::InvalidParams, message));
    }
    check_values(params.unwrap_or_default(), values)?;
    Ok(RequestObject { method, params })
}

/// Limits the number of values in params. `[0,0,…]` of 8 MiB would become four million values of 32
/// bytes or more each.
fn check_values(params: &str, limit: usize) -> Result<(), RpcError> {
    // A value takes at least one byte.
    if params.len() <= limit || scan::values(params.as_bytes()).map_err(parse_error)? <= limit {
        return Ok(());
    }
    let message = format!("`params` consists of more than {limit} values");
    let error = RpcError::new(ErrorCode::InvalidParams, message);
    Err(error.with_details(json!({ "limit": limit })))
}
