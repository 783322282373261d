//! The texts of messages.

use bytes::Bytes;
use scorel_proto::RpcError;
use serde_json::value::RawValue;

use crate::JsonText;
use crate::envelope::RequestId;
use crate::error_object::ErrorObject;

/// A call, or without an id a notification.
pub fn request(id: Option<u64>, method: &str, params: Option<&RawValue>) -> JsonText {
    let id = id.map(|id| format!(r#""id":{id},"#)).unwrap_or_default();
    let method = serde_json::Value::from(method);
    let head = format!(r#"{{"jsonrpc":"2.0",{id}"method":{method},"params":"#);
    let params = params.unwrap_or(RawValue::NULL).get().to_owned();
    JsonText::new(head.into(), params.into(), "}")
}

/// The beginning of the notifications of a subscription, up to the event, which `}}` follows. It is
/// shared by all of them, as the event is by all subscribers.
pub fn notification_head(method: &str, subscription: &str) -> Bytes {
    let [method, id] = [method, subscription].map(serde_json::Value::from);
    let params = format!(r#"{{"subscription":{id},"result":"#);
    format!(r#"{{"jsonrpc":"2.0","method":{method},"params":{params}"#).into()
}

/// The beginning of an answer, up to its result or error.
pub fn answer_head(id: &RequestId) -> Bytes {
    format!(r#"{{"jsonrpc":"2.0","id":{},"#, id.json).into()
}

/// An answer with an error.
///
/// # Panics
/// Never: an error object holds texts, numbers and JSON values.
pub fn refusal(id: &RequestId, error: &RpcError) -> JsonText {
    let object = serde_json::to_string(&ErrorObject::from(error))
        .expect("an error object holds texts, numbers and JSON values");
    JsonText::new(answer_head(id), format!("\"error\":{object}").into(), "}")
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;

    use super::*;

    #[test]
    fn a_request_is_a_json_text() {
        let written = |text: &JsonText| {
            let mut bytes = BytesMut::new();
            text.put(&mut bytes);
            String::from_utf8(bytes.to_vec()).unwrap()
        };
        let params = RawValue::from_string("[1]".to_owned()).unwrap();
        assert_eq!(
            written(&request(Some(7), "m\"", Some(&params))),
            r#"{"jsonrpc":"2.0","id":7,"method":"m\"","params":[1]}"#
        );
        assert_eq!(
            written(&request(None, "m", None)),
            r#"{"jsonrpc":"2.0","method":"m","params":null}"#
        );
        let event = JsonText::new(notification_head("event", "s"), "{}".into(), "}}");
        let event: serde_json::Value = serde_json::from_str(&written(&event)).unwrap();
        assert_eq!(event["params"]["subscription"], "s");
    }
}
