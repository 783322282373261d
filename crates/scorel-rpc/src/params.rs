mod terse;

use std::sync::LazyLock;

use jsonrpsee::types::Params as Raw;
use scorel_proto::{ErrorCode, RpcError};
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::array::Array;
use crate::beginning::beginning;
use terse::Terse;

/// The longest path to an offending member that is told, in bytes.
const MAX_PATH: usize = 512;

/// The params of a call as a JSON object, whether they came by name, by position or not at all.
#[derive(Debug)]
pub struct Params {
    raw: Raw<'static>,
    /// The object, if it had to be made.
    named: Option<String>,
}

impl Params {
    /// Gives positional params the names of the method's fields, in order.
    pub(crate) fn new(raw: Raw<'static>, names: &LazyLock<Vec<String>>) -> Result<Self, RpcError> {
        let named = match raw.as_str() {
            None => Some("{}".to_owned()),
            Some(array) if array.starts_with('[') => Some(name(array, names)?),
            Some(_) => None,
        };
        Ok(Self { raw, named })
    }

    /// The params as the text of a JSON object.
    #[must_use]
    pub fn as_json(&self) -> &str {
        self.named
            .as_deref()
            .or_else(|| self.raw.as_str())
            .unwrap_or("{}")
    }

    /// Reads the params as a struct (or a map), and lets go of their text.
    ///
    /// # Errors
    /// `invalid_params`, with the path of the offending member in `details.field` where one is to
    /// blame. Neither repeats more than the beginning of what was sent.
    pub fn parse<T: DeserializeOwned>(self) -> Result<T, RpcError> {
        let mut json = serde_json::Deserializer::from_str(self.as_json());
        serde_path_to_error::deserialize(Terse(&mut json)).map_err(|error| {
            let path = beginning(error.path(), MAX_PATH);
            let failure = invalid_params(error.inner().to_string());
            match path.as_str() {
                "." => failure,
                _ => failure.with_details(json!({ "field": path })),
            }
        })
    }
}

fn name(array: &str, names: &[String]) -> Result<String, RpcError> {
    let values =
        Array::parse(array, names.len()).map_err(|error| invalid_params(error.to_string()))?;
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
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Page {
        session: Option<String>,
        after: Option<u64>,
        inner: Option<Box<Page>>,
    }

    fn params(json: Option<&str>) -> Result<Params, RpcError> {
        let raw = Raw::new(json).into_owned();
        let names: LazyLock<_> =
            LazyLock::new(|| ["session", "after", "inner"].map(str::to_owned).to_vec());
        Params::new(raw, &names)
    }

    fn parse(json: &str) -> Result<Page, RpcError> {
        params(Some(json))?.parse()
    }

    #[test]
    fn positional_params_take_the_names_of_the_fields_in_order() {
        let named = parse(r#"{"session":"a","after":3}"#).unwrap();
        assert_eq!(parse(r#"["a",3]"#).unwrap(), named);
        assert_eq!(parse(r#"[ "a" , 3, null ]"#).unwrap(), named);
        assert_eq!(
            parse("[1,2,3,4]").unwrap_err().code,
            ErrorCode::InvalidParams
        );
    }

    #[test]
    fn absent_and_empty_params_are_the_same() {
        for none in [None, Some("{}"), Some("[]"), Some("[ ]"), Some("{ }")] {
            let page: Page = params(none).unwrap().parse().unwrap();
            assert_eq!(
                page,
                Page {
                    session: None,
                    after: None,
                    inner: None
                }
            );
        }
    }

    #[test]
    fn the_offending_member_is_named() {
        for (json, field) in [
            (r#"{"after":"x"}"#, "after"),
            (r#"{"inner":{"after":-1}}"#, "inner.after"),
            (r#"{"inner":{"after":1.5}}"#, "inner.after"),
            (r#"{"after":18446744073709551616}"#, "after"),
            (r#"{"after":1e400}"#, "after"),
            (r#"{"other":1}"#, "other"),
            (r#"["a","b"]"#, "after"),
        ] {
            let error = parse(json).unwrap_err();
            assert_eq!(error.code, ErrorCode::InvalidParams);
            assert_eq!(error.details["field"], field, "{json}: {error}");
        }
    }

    #[test]
    fn a_member_that_comes_twice_is_refused() {
        let error = parse(r#"{"after":1,"\u0061fter":2}"#).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidParams);
    }
}
