//! One request, notification or response.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use jsonrpsee::types::Params;
use scorel_proto::{ErrorCode, RpcError};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::json;
use serde_json::value::RawValue;

use super::error::{invalid_request, parse_error};
use super::id::RequestId;
use super::scan;

/// One entry of a frame.
#[derive(Debug)]
pub(crate) enum FrameEntry {
    Call(RequestId, RequestObject),
    /// Gets no reply.
    Notification(RequestObject),
    /// Ignored: the server sends no requests.
    Response,
    /// The error is the reply.
    Invalid(RequestId, RpcError),
}

#[derive(Debug)]
pub(crate) struct RequestObject {
    pub(crate) method: Box<str>,
    pub(crate) params: Params<'static>,
}

/// Unknown members of a request. Their names are kept to find duplicates.
const MAX_OTHERS: usize = 64;

/// Parses one entry. `values` is [`RpcLimits::values`](crate::RpcLimits::values).
pub(super) fn parse(value: &RawValue, values: usize) -> FrameEntry {
    let refused = |message: &str| FrameEntry::Invalid(RequestId::null(), invalid_request(message));
    if !value.get().starts_with('{') {
        return refused("a request is an object");
    }
    let members: Members<'_> = match serde_json::from_str(value.get()) {
        Ok(members) => members,
        Err(error) => return refused(&error.to_string()),
    };
    if members.is_response() {
        return FrameEntry::Response;
    }
    let id = match members.id.map(RequestId::parse) {
        Some(None) => {
            return refused("`id` is a string of at most 256 bytes, a safe integer or null");
        }
        Some(id) => id,
        None => None,
    };
    match (members.request(values), id) {
        (Ok(request), Some(id)) => FrameEntry::Call(id, request),
        (Ok(request), None) => FrameEntry::Notification(request),
        (Err(error), id) => FrameEntry::Invalid(id.unwrap_or_else(RequestId::null), error),
    }
}

#[derive(Debug, Default)]
struct Members<'a> {
    jsonrpc: Option<&'a RawValue>,
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    id: Option<&'a RawValue>,
    result: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
}

impl<'a> Members<'a> {
    fn is_response(&self) -> bool {
        self.method.is_none() && (self.result.is_some() || self.error.is_some())
    }

    fn request(&self, values: usize) -> Result<RequestObject, RpcError> {
        let version = self
            .jsonrpc
            .map(RawValue::get)
            .map(serde_json::from_str::<Cow<'_, str>>);
        if !matches!(version, Some(Ok(version)) if version == "2.0") {
            return Err(invalid_request("`jsonrpc` must be \"2.0\""));
        }
        let method = self.method.map(|method| serde_json::from_str(method.get()));
        let Some(Ok(method)) = method else {
            return Err(invalid_request("`method` must be a string"));
        };
        let params = self
            .params
            .map(RawValue::get)
            .filter(|params| *params != "null");
        if params.is_some_and(|params| !params.starts_with(['{', '['])) {
            let message = "`params` must be an object or an array";
            return Err(RpcError::new(ErrorCode::InvalidParams, message));
        }
        check_values(params.unwrap_or_default(), values)?;
        let params = Params::new(params).into_owned();
        Ok(RequestObject { method, params })
    }

    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a RawValue>> {
        Some(match name {
            "jsonrpc" => &mut self.jsonrpc,
            "method" => &mut self.method,
            "params" => &mut self.params,
            "id" => &mut self.id,
            "result" => &mut self.result,
            "error" => &mut self.error,
            _ => return None,
        })
    }
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

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

/// Collects members and refuses duplicate names, after unescaping. JSON leaves open which of two equal
/// members counts, and parsers differ: a proxy, a log or an audit could see another `method` or `id`
/// than the one that is executed.
struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON-RPC request")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members = Members::default();
        let mut others = HashSet::new();
        while let Some(Name(name)) = map.next_key()? {
            let value = map.next_value()?;
            let repeated = match members.slot(&name) {
                Some(slot) => slot.replace(value).is_some(),
                None if others.len() == MAX_OTHERS => {
                    return Err(A::Error::custom("too many members"));
                }
                None => !others.insert(name),
            };
            if repeated {
                return Err(A::Error::custom("a member comes twice"));
            }
        }
        Ok(members)
    }
}

/// Borrowed unless it contains escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
