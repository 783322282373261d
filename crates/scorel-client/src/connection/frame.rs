//! The JSON-RPC envelopes.

use std::borrow::Cow;

use scorel_proto::{ErrorCode, ErrorData, RpcError};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::ClientError;

/// An outgoing request.
#[derive(Serialize)]
pub(super) struct RequestFrame<'a> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    method: &'a str,
    params: Option<&'a RawValue>,
}

impl<'a> RequestFrame<'a> {
    /// Encodes a request as a line, with its newline. Without an id it is a notification.
    pub(super) fn line(
        id: Option<u64>,
        method: &'a str,
        params: Option<&'a RawValue>,
    ) -> Result<Vec<u8>, ClientError> {
        let request = Self {
            jsonrpc: "2.0",
            id,
            method,
            params,
        };
        let mut line = serde_json::to_vec(&request)
            .map_err(|error| ClientError::Protocol(format!("call of {method}: {error}")))?;
        line.push(b'\n');
        Ok(line)
    }
}

/// An incoming message: a response or a notification.
#[derive(Deserialize)]
pub(super) struct IncomingFrame<'a> {
    /// `None` in notifications, and in errors that belong to no request, such as an unreadable frame.
    pub(super) id: Option<u64>,
    #[serde(borrow)]
    pub(super) method: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) params: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) result: Option<&'a RawValue>,
    pub(super) error: Option<ErrorObject>,
}

/// The `params` of a subscription's notification.
#[derive(Deserialize)]
pub(super) struct NotificationParams<'a> {
    #[serde(borrow)]
    pub(super) subscription: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) result: &'a RawValue,
}

/// A JSON-RPC error object.
#[derive(Deserialize)]
pub(super) struct ErrorObject {
    code: i64,
    message: String,
    #[serde(default)]
    data: Value,
}

impl From<ErrorObject> for RpcError {
    /// Takes the code from `data.code`, else from the number. A code that neither tells, as from a
    /// newer daemon, becomes `internal_error` with the daemon's message.
    fn from(object: ErrorObject) -> Self {
        let data: Option<ErrorData> = serde_json::from_value(object.data.clone()).ok();
        let by_number = || {
            let number = |code: &&ErrorCode| i64::from(code.number()) == object.code;
            ErrorCode::ALL.iter().find(number).copied()
        };
        let code = data.as_ref().map(|data| data.code).or_else(by_number);
        Self {
            code: code.unwrap_or(ErrorCode::InternalError),
            message: object.message,
            details: data.map_or(object.data, |data| data.details),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> RpcError {
        let object: ErrorObject = serde_json::from_str(text).expect("an error object");
        object.into()
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
    }
}
