//! JSON-RPC between equals: both sides call, and both answer.

use scorel_engine::{RunnerError, RunnerErrorKind, foreign_json};
use scorel_peer::{Calls, Members};
use serde_json::{Value, json};

/// "Method not found".
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;

/// The calls that may wait for an answer: a turn makes one for each message that steers it.
const MAX_CALLS: usize = 256;

/// The calls that wait for an answer. `P` is what each was made for.
#[derive(Debug)]
pub(crate) struct JsonRpc<P> {
    calls: Calls<P>,
    /// True if messages carry `"jsonrpc": "2.0"`.
    is_marked: bool,
}

/// A message from the other side.
#[derive(Debug, PartialEq)]
pub(crate) enum Incoming<P> {
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    Answer {
        purpose: P,
        result: Result<Value, RpcFailure>,
    },
    /// Not a message, or an answer to no open call.
    Unknown,
}

/// The error of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RpcFailure {
    pub(crate) code: i64,
    pub(crate) message: String,
}

impl<P> JsonRpc<P> {
    pub(crate) fn new(is_marked: bool) -> Self {
        Self {
            calls: Calls::default(),
            is_marked,
        }
    }

    pub(crate) fn call(
        &mut self,
        purpose: P,
        method: &str,
        params: &Value,
    ) -> Result<Value, RunnerError> {
        if self.calls.len() >= MAX_CALLS {
            let message = "the runner does not answer what it is asked";
            return Err(RunnerError::new(RunnerErrorKind::Stalled, message));
        }
        let id = self.calls.open(purpose);
        Ok(self.marked(json!({"id": id, "method": method, "params": params})))
    }

    pub(crate) fn notification(&self, method: &str, params: &Value) -> Value {
        self.marked(json!({"method": method, "params": params}))
    }

    pub(crate) fn answer(&self, id: &Value, result: &Value) -> Value {
        self.marked(json!({"id": id, "result": result}))
    }

    pub(crate) fn refusal(&self, id: &Value, code: i64, message: &str) -> Value {
        self.marked(json!({"id": id, "error": {"code": code, "message": message}}))
    }

    /// Reads a line.
    pub(crate) fn incoming(&mut self, line: &[u8]) -> Incoming<P> {
        let Ok(message) = foreign_json::<Members<Value>>(line) else {
            return Incoming::Unknown;
        };
        let params = message.params.unwrap_or(Value::Null);
        let id = message.id.filter(|id| !id.is_null());
        match (message.method, id) {
            (Some(Value::String(method)), Some(id)) => Incoming::Request { id, method, params },
            (Some(Value::String(method)), None) => Incoming::Notification { method, params },
            (None, Some(id)) => {
                let Some(purpose) = id.as_u64().and_then(|id| self.calls.end(id)) else {
                    return Incoming::Unknown;
                };
                let result = match message.error.filter(|error| !error.is_null()) {
                    Some(error) => Err(RpcFailure::of(&error)),
                    None => Ok(message.result.unwrap_or(Value::Null)),
                };
                Incoming::Answer { purpose, result }
            }
            _ => Incoming::Unknown,
        }
    }

    fn marked(&self, mut message: Value) -> Value {
        if self.is_marked {
            message["jsonrpc"] = json!("2.0");
        }
        message
    }
}

impl RpcFailure {
    fn of(error: &Value) -> Self {
        let mut message = error["message"].as_str().unwrap_or("no message").to_owned();
        // The message is often no more than "Internal error".
        let data = &error["data"];
        let details = [data, &data["details"], &data["message"]];
        let detail = details.into_iter().find_map(Value::as_str);
        if let Some(detail) = detail.filter(|detail| !message.contains(detail)) {
            message = format!("{message}: {detail}");
        }
        Self {
            code: error["code"].as_i64().unwrap_or_default(),
            message,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_taken_once() {
        let mut rpc = JsonRpc::new(false);
        assert_eq!(rpc.call("a", "m", &json!({})).unwrap()["id"], 1);
        let answer = br#"{"id": 1, "result": 5}"#;
        let expected = Incoming::Answer {
            purpose: "a",
            result: Ok(json!(5)),
        };
        assert_eq!(rpc.incoming(answer), expected);
        assert_eq!(rpc.incoming(answer), Incoming::Unknown);
        let stray = br#"{"id": "x", "result": 5}"#;
        assert_eq!(rpc.incoming(stray), Incoming::Unknown);
    }

    #[test]
    fn open_calls_are_bounded() {
        let mut rpc = JsonRpc::new(false);
        for _ in 0..MAX_CALLS {
            rpc.call((), "m", &Value::Null).unwrap();
        }
        let refused = rpc.call((), "m", &Value::Null).unwrap_err();
        assert_eq!(refused.kind, RunnerErrorKind::Stalled);
        rpc.incoming(br#"{"id": 1, "result": 5}"#);
        rpc.call((), "m", &Value::Null).unwrap();
    }

    #[test]
    fn a_failure_tells_its_details() {
        let told = |error| RpcFailure::of(&error).message;
        let error = |data| json!({"code": -32603, "message": "Internal error", "data": data});
        let expected = "Internal error: no such session";
        assert_eq!(told(error(json!("no such session"))), expected);
        assert_eq!(told(error(json!({"details": "no such session"}))), expected);
        assert_eq!(told(error(json!({"message": "no such session"}))), expected);
        assert_eq!(told(error(json!("Internal"))), "Internal error");
        assert_eq!(told(error(json!({"code": 1}))), "Internal error");
    }

    #[test]
    fn what_is_no_message_is_told_apart() {
        let mut rpc = JsonRpc::<()>::new(true);
        let messages = ["1", "[]", "{}", r#"{"method":5}"#, r#"{"id":null}"#, "{"];
        for message in messages {
            assert_eq!(rpc.incoming(message.as_bytes()), Incoming::Unknown);
        }
        assert_eq!(rpc.notification("m", &json!(1))["jsonrpc"], "2.0");
    }
}
