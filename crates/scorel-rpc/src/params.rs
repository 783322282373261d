//! The params of a call, and their deserialization with bounded error messages.

mod place;
mod terse;

use std::sync::LazyLock;

use jsonrpsee::types::Params as Raw;
use scorel_peer::{ArrayPrefix, beginning};
use scorel_proto::{ErrorCode, RpcError};
use serde::de::DeserializeOwned;
use serde_json::json;

use place::Place;
use terse::Terse;

/// Of the path to an invalid member, in bytes.
const MAX_PATH: usize = 512;

/// The names of a method's params, by position. Made once they are needed.
pub(crate) type ParamNames = LazyLock<Vec<String>>;

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
    pub(crate) fn new(raw: Raw<'static>, names: &ParamNames) -> Result<Self, RpcError> {
        Ok(Self(match raw.as_str() {
            None => ParamsText::Made("{}".to_owned()),
            Some(array) if array.starts_with('[') => ParamsText::Made(name(array, names)?),
            Some(_) => ParamsText::Sent(raw),
        }))
    }

    /// The params as the text of a JSON object.
    #[must_use]
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
        let place = Place::default();
        let mut json = serde_json::Deserializer::from_str(self.as_json());
        T::deserialize(Terse(&mut json, &place)).map_err(|error| {
            let text = error.to_string();
            // The position is one in the params, which the client has not seen as such.
            let message = text
                .rsplit_once(" at line ")
                .map_or(&*text, |(message, _)| message);
            let failure = invalid_params(message);
            let missing = message.strip_prefix("missing field `");
            let missing = missing.map(|name| name.trim_end_matches('`'));
            match place.path(self.as_json(), missing) {
                None => failure,
                Some(path) => failure.with_details(json!({ "field": beginning(path, MAX_PATH) })),
            }
        })
    }
}

fn name(array: &str, names: &[String]) -> Result<String, RpcError> {
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
