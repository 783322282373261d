use scorel_proto::{ErrorCode, ErrorData, RpcError};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::beginning::beginning;

/// Of each text in an error that is sent, in bytes.
const MAX_TEXT: usize = 4096;

/// The error of an answer. `D` is what its data is kept as.
#[derive(Debug, Serialize, Deserialize)]
pub struct ErrorObject<D> {
    pub code: i64,
    pub message: String,
    pub data: D,
}

impl ErrorObject<Option<Value>> {
    /// Reads the error of an answer. One that is not an error object is an `internal_error`.
    pub(crate) fn read(error: &RawValue) -> RpcError {
        match serde_json::from_str::<Self>(error.get()) {
            Ok(object) => object.into(),
            Err(_) => {
                let message = "the answer is an error of another shape";
                RpcError::new(ErrorCode::InternalError, message)
            }
        }
    }
}

/// Texts may quote what the other side sent, so they are cut.
impl From<&RpcError> for ErrorObject<ErrorData> {
    fn from(error: &RpcError) -> Self {
        let mut data = error.data();
        shorten(&mut data.details);
        Self {
            code: error.code.number().into(),
            message: beginning(&error.message, MAX_TEXT),
            data,
        }
    }
}

impl From<ErrorObject<Option<Value>>> for RpcError {
    /// Takes the code from `data.code`, else from the number. A code that neither tells, as from a
    /// newer daemon, becomes `internal_error` with the daemon's message.
    fn from(object: ErrorObject<Option<Value>>) -> Self {
        let raw = object.data.unwrap_or_default();
        let data: Option<ErrorData> = serde_json::from_value(raw.clone()).ok();
        let by_number = || {
            let number = |code: &&ErrorCode| i64::from(code.number()) == object.code;
            ErrorCode::ALL.iter().find(number).copied()
        };
        let code = data.as_ref().map(|data| data.code).or_else(by_number);
        Self {
            code: code.unwrap_or(ErrorCode::InternalError),
            message: object.message,
            details: data.map_or(raw, |data| data.details),
        }
    }
}

/// Cuts every string in an error's details.
fn shorten(details: &mut Value) {
    match details {
        Value::String(text) if text.len() > MAX_TEXT => *text = beginning(text, MAX_TEXT),
        Value::Array(values) => values.iter_mut().for_each(shorten),
        Value::Object(members) => members.values_mut().for_each(shorten),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn error(text: &str) -> RpcError {
        ErrorObject::read(&RawValue::from_string(text.to_owned()).unwrap())
    }

    #[test]
    fn an_error_is_known_by_its_name_then_by_its_number() {
        let named = error(
            r#"{"code":1004,"message":"busy","data":{"code":"runtime_busy","retryable":true,"details":{"phase":"running"}}}"#,
        );
        assert_eq!(named.code, ErrorCode::AgentTaskBusy);
        assert_eq!(named.details["phase"], "running");
        let numbered = error(r#"{"code":-32601,"message":"no such method"}"#);
        assert_eq!(numbered.code, ErrorCode::MethodNotFound);
        let future =
            error(r#"{"code":4711,"message":"new","data":{"code":"brand_new","retryable":false}}"#);
        assert_eq!(future.code, ErrorCode::InternalError);
        assert_eq!(future.message, "new");
        assert_eq!(error("[1]").code, ErrorCode::InternalError);
    }

    #[test]
    fn long_strings_in_errors_are_cut() {
        let long = "\u{1}".repeat(100_000);
        let details = json!({"path": long, "deep": [{"path": long}], "short": "as it is"});
        let error = RpcError::new(ErrorCode::FilesystemError, long).with_details(details);
        let text = json!(ErrorObject::from(&error));
        assert!(text.to_string().len() < 3 * 6 * MAX_TEXT + 200);
        assert_eq!(text["data"]["details"]["short"], "as it is");
    }
}
