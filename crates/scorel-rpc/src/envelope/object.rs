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

use super::{RequestId, invalid, scan, unreadable};

/// One entry of a frame.
#[derive(Debug)]
pub(crate) enum Entry {
    /// Wants a reply.
    Call(RequestId, Request),
    /// Wants none.
    Notification(Request),
    /// A response, which nobody here waits for.
    Response,
    /// Cannot be executed; the error is the reply.
    Invalid(RequestId, RpcError),
}

/// A method and its params.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: Box<str>,
    pub(crate) params: Params<'static>,
}

/// How many members a request may have that mean nothing.
const MAX_OTHERS: usize = 64;

/// Parses one entry, whose params may consist of so many values.
pub(super) fn parse(value: &RawValue, values: usize) -> Entry {
    let refused = |message: &str| Entry::Invalid(RequestId::null(), invalid(message));
    if !value.get().starts_with('{') {
        return refused("a request is an object");
    }
    let members: Members<'_> = match serde_json::from_str(value.get()) {
        Ok(members) => members,
        Err(error) => return refused(&error.to_string()),
    };
    if members.is_response() {
        return Entry::Response;
    }
    let id = match members.id.map(RequestId::parse) {
        Some(None) => {
            return refused("`id` is a string of at most 256 bytes, a safe integer or null");
        }
        Some(id) => id,
        None => None,
    };
    match (members.request(values), id) {
        (Ok(request), Some(id)) => Entry::Call(id, request),
        (Ok(request), None) => Entry::Notification(request),
        (Err(error), id) => Entry::Invalid(id.unwrap_or_else(RequestId::null), error),
    }
}

/// The members of an envelope, as text.
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

    fn request(&self, values: usize) -> Result<Request, RpcError> {
        let version = self
            .jsonrpc
            .map(RawValue::get)
            .map(serde_json::from_str::<Cow<'_, str>>);
        if !matches!(version, Some(Ok(version)) if version == "2.0") {
            return Err(invalid("`jsonrpc` must be \"2.0\""));
        }
        let method = self.method.map(|method| serde_json::from_str(method.get()));
        let Some(Ok(method)) = method else {
            return Err(invalid("`method` must be a string"));
        };
        let params = self
            .params
            .map(RawValue::get)
            .filter(|params| *params != "null");
        if params.is_some_and(|params| !params.starts_with(['{', '['])) {
            let message = "`params` must be an object or an array";
            return Err(RpcError::new(ErrorCode::InvalidParams, message));
        }
        few_values(params.unwrap_or_default(), values)?;
        let params = Params::new(params).into_owned();
        Ok(Request { method, params })
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

/// Refuses what takes much more memory as values than as text.
fn few_values(params: &str, limit: usize) -> Result<(), RpcError> {
    // A value takes a byte at least.
    if params.len() <= limit || scan::values(params.as_bytes()).map_err(unreadable)? <= limit {
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

/// Collects members and refuses names that come twice, however they are escaped.
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

/// A member's name, borrowed unless it holds escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
