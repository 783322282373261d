//! Encoding replies.

use bytes::{Bytes, BytesMut};
use jsonrpsee::types::ErrorObjectOwned;
use scorel_proto::RpcError;
use serde_json::Value;

use crate::JsonText;
use crate::beginning::beginning;
use crate::envelope::RequestId;

/// The beginning of every reply from jsonrpsee's table, which is always called with a null id: its id
/// type would not keep the bytes of the client's.
const NULL_REPLY: &str = r#"{"jsonrpc":"2.0","id":null,"#;

/// In bytes.
const MAX_ERROR_TEXT: usize = 4096;

/// Replaces the null id of a reply from jsonrpsee's table, without copying the rest.
pub(crate) fn readdress(id: &RequestId, json: Box<str>) -> Option<JsonText> {
    json.starts_with(NULL_REPLY).then(|| {
        let rest = Bytes::from(json.into_boxed_bytes()).slice(NULL_REPLY.len()..);
        JsonText::new(head(id).into(), rest, "")
    })
}

/// An error reply.
pub(crate) fn error(id: &RequestId, error: &RpcError) -> JsonText {
    let object = serde_json::to_string(&error_object(error))
        .expect("an error object holds texts, numbers and JSON values");
    JsonText::from(format!("{}\"error\":{object}}}", head(id)))
}

/// The error as jsonrpsee's type. Its strings may quote what a client sent, so they are cut.
pub(crate) fn error_object(error: &RpcError) -> ErrorObjectOwned {
    let message = beginning(&error.message, MAX_ERROR_TEXT);
    let mut data = error.data();
    shorten(&mut data.details);
    ErrorObjectOwned::owned(error.code.number(), message, Some(data))
}

/// Cuts every string in an error's details.
fn shorten(details: &mut Value) {
    match details {
        Value::String(text) if text.len() > MAX_ERROR_TEXT => {
            *text = beginning(&text, MAX_ERROR_TEXT);
        }
        Value::Array(values) => values.iter_mut().for_each(shorten),
        Value::Object(members) => members.values_mut().for_each(shorten),
        _ => {}
    }
}

/// The replies of a batch as one JSON array.
pub(crate) fn batch(replies: &[JsonText]) -> JsonText {
    let mut json = BytesMut::from("[");
    for (index, reply) in replies.iter().enumerate() {
        if index > 0 {
            json.extend_from_slice(b",");
        }
        reply.put(&mut json);
    }
    JsonText::new(Bytes::new(), json.freeze(), "]")
}

fn head(id: &RequestId) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"#, id.json)
}

#[cfg(test)]
mod tests {
    use scorel_proto::ErrorCode;
    use serde_json::json;

    use super::*;

    #[test]
    fn long_strings_in_errors_are_cut() {
        let long = "\u{1}".repeat(100_000);
        let details = json!({"path": long, "deep": [{"path": long}], "short": "as it is"});
        let error_in = RpcError::new(ErrorCode::FilesystemError, long).with_details(details);
        let text = error(&RequestId::null(), &error_in);
        assert!(text.len() < 3 * 6 * MAX_ERROR_TEXT + 200, "{}", text.len());
        let mut json = BytesMut::new();
        text.put(&mut json);
        let reply: Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(reply["error"]["data"]["details"]["short"], "as it is");
    }
}
