//! JSON-RPC between equals: both sides call, and both answer.

use std::collections::HashMap;

use serde_json::{Value, json};

/// "Method not found".
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;

/// The calls that wait for an answer. `P` is what each was made for.
#[derive(Debug)]
pub(crate) struct JsonRpc<P> {
    last_id: u64,
    pending: HashMap<u64, P>,
    /// Whether messages carry `"jsonrpc": "2.0"`.
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
    /// An answer to no open call.
    Stray,
    /// No message of the protocol.
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
            last_id: 0,
            pending: HashMap::new(),
            is_marked,
        }
    }

    pub(crate) fn call(&mut self, purpose: P, method: &str, params: &Value) -> Value {
        self.last_id += 1;
        self.pending.insert(self.last_id, purpose);
        self.marked(json!({"id": self.last_id, "method": method, "params": params}))
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

    pub(crate) fn incoming(&mut self, message: Value) -> Incoming<P> {
        let Value::Object(mut message) = message else {
            return Incoming::Unknown;
        };
        let params = message.remove("params").unwrap_or(Value::Null);
        let id = message.remove("id").filter(|id| !id.is_null());
        match (message.remove("method"), id) {
            (Some(Value::String(method)), Some(id)) => Incoming::Request { id, method, params },
            (Some(Value::String(method)), None) => Incoming::Notification { method, params },
            (None, Some(id)) => {
                let Some(purpose) = id.as_u64().and_then(|id| self.pending.remove(&id)) else {
                    return Incoming::Stray;
                };
                let result = match message.remove("error").filter(|error| !error.is_null()) {
                    Some(error) => Err(RpcFailure::of(&error)),
                    None => Ok(message.remove("result").unwrap_or(Value::Null)),
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
        assert_eq!(rpc.call("a", "m", &json!({}))["id"], 1);
        let answer = json!({"id": 1, "result": 5});
        let expected = Incoming::Answer {
            purpose: "a",
            result: Ok(json!(5)),
        };
        assert_eq!(rpc.incoming(answer.clone()), expected);
        assert_eq!(rpc.incoming(answer), Incoming::Stray);
        assert_eq!(
            rpc.incoming(json!({"id": "x", "result": 5})),
            Incoming::Stray
        );
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
        for message in [
            json!(1),
            json!([]),
            json!({}),
            json!({"method": 5}),
            json!({"id": null}),
        ] {
            assert_eq!(rpc.incoming(message), Incoming::Unknown);
        }
        assert_eq!(rpc.notification("m", &json!(1))["jsonrpc"], "2.0");
    }
}
