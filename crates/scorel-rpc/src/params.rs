//! The params of a call, and their deserialization with bounded error messages.

use jsonrpsee::types::Params as Raw;
use memchr::memchr2_iter;
use scorel_peer::{ArrayPrefix, beginning};
use scorel_proto::{ErrorCode, RpcError};
use serde::de::DeserializeOwned;
use serde_json::json;

/// Of an error's message, and of the path to an invalid member, in bytes.
const MAX_ERROR: usize = 512;

/// Bytes of the params that are parsed without a look at a shortened copy.
const SHORT: usize = 64 * 1024;

/// Bytes of a string that a shortened copy keeps. A member's name has at most as many.
const KEPT: usize = 1024;

/// The names of a method's params, by position.
pub type ParamNames = &'static [&'static str];

/// The params of a call as a JSON object, whether they were sent by name, by position or not at all.
#[derive(Debug)]
pub struct Params(ParamsText);

#[derive(Debug)]
enum ParamsText {
    Sent(Raw<'static>),
    /// From positional params.
    Made(String),
}

impl Params {
    /// Names positional params after the method's fields, in order.
    pub(crate) fn new(raw: Raw<'static>, names: ParamNames) -> Result<Self, RpcError> {
        Ok(Self(match raw.as_str() {
            None => ParamsText::Made("{}".to_owned()),
            Some(array) if array.starts_with('[') => ParamsText::Made(name(array, names)?),
            Some(_) => ParamsText::Sent(raw),
        }))
    }

    /// The params as the text of a JSON object.
    pub fn as_json(&self) -> &str {
        match &self.0 {
            ParamsText::Sent(raw) => raw.as_str().unwrap_or("{}"),
            ParamsText::Made(text) => text,
        }
    }

    /// Deserializes the params.
    ///
    /// # Errors
    /// `invalid_params`, with the path of the invalid or missing member in `details.field` if there is one.
    /// Message and path quote a bounded part of the input.
    pub fn parse<T: DeserializeOwned>(self) -> Result<T, RpcError> {
        let sent = self.as_json();
        if sent.len() > SHORT {
            // serde quotes an unexpected string in full and escaped, which would make a message of several
            // times the frame's size. So the copy finds what is wrong with long params.
            parse::<T>(&shortened(sent))?;
        }
        parse(sent)
    }
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, RpcError> {
    let mut json = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut json).map_err(|error| refusal(&error))
}

/// Not generic, or the compiler makes a copy for every method.
fn refusal(error: &serde_path_to_error::Error<serde_json::Error>) -> RpcError {
    let text = error.inner().to_string();
    // The position is one in the params, which the client has not seen as such.
    let message = text
        .rsplit_once(" at line ")
        .map_or(&*text, |(message, _)| message);
    let mut path = error.path().to_string();
    // These are found in the object around the member.
    let member = ["missing field `", "duplicate field `"]
        .iter()
        .find_map(|problem| message.strip_prefix(problem)?.strip_suffix('`'));
    match (member, path.as_str()) {
        (Some(member), ".") => path = member.to_owned(),
        (Some(member), _) => path = format!("{path}.{member}"),
        (None, _) => {}
    }
    let failure = invalid_params(beginning(message, MAX_ERROR));
    match path.as_str() {
        "." => failure,
        path => failure.with_details(json!({ "field": beginning(path, MAX_ERROR) })),
    }
}

/// A copy of a JSON text in which long strings end early: before an escape, so that none is cut.
fn shortened(text: &str) -> String {
    let mut short = String::new();
    let mut rest = text;
    while let Some((before, string)) = rest.split_once('"') {
        let (string, after) = string.split_at(string_end(string.as_bytes()));
        short.push_str(before);
        short.push('"');
        if string.len() > KEPT {
            let plain = string.split('\\').next().unwrap_or_default();
            short.push_str(&beginning(plain, KEPT));
        } else {
            short.push_str(string);
        }
        short.push('"');
        rest = after.strip_prefix('"').unwrap_or_default();
    }
    short + rest
}

/// The index of the quotation mark that ends a string.
fn string_end(string: &[u8]) -> usize {
    let mut escaped = None;
    for at in memchr2_iter(b'"', b'\\', string) {
        if escaped == Some(at) {
            continue;
        }
        if string[at] == b'"' {
            return at;
        }
        escaped = Some(at + 1);
    }
    string.len()
}

/// Positional params as an object.
pub(crate) fn name(array: &str, names: &[&str]) -> Result<String, RpcError> {
    let values = ArrayPrefix::parse(array, names.len())
        .map_err(|error| invalid_params(error.to_string()))?;
    if values.len > names.len() {
        let message = format!("the method takes at most {} params", names.len());
        return Err(invalid_params(message));
    }
    let mut object = String::with_capacity(array.len() + 16 * values.len + 2);
    for (name, value) in names.iter().zip(values.first) {
        object.push(if object.is_empty() { '{' } else { ',' });
        object.push_str(&json!(name).to_string());
        object.push(':');
        object.push_str(value.get());
    }
    object.push_str(if object.is_empty() { "{}" } else { "}" });
    Ok(object)
}

fn invalid_params(message: impl Into<String>) -> RpcError {
    RpcError::new(ErrorCode::InvalidParams, message)
}

#[cfg(test)]
mod tests;
