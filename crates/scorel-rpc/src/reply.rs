//! Replies as texts.

use bytes::{Bytes, BytesMut};
use jsonrpsee::types::ErrorObjectOwned;
use scorel_proto::RpcError;

use crate::Text;
use crate::envelope::RequestId;

/// How the method table begins the reply to a call with a null id.
const NULL_REPLY: &str = r#"{"jsonrpc":"2.0","id":null,"#;

/// A reply of the method table, made for a null id, as the reply to the call with this id.
pub(crate) fn readdress(id: &RequestId, json: Box<str>) -> Option<Text> {
    json.starts_with(NULL_REPLY).then(|| {
        let rest = Bytes::from(json.into_boxed_bytes()).slice(NULL_REPLY.len()..);
        Text::new(head(id).into(), rest, "")
    })
}

/// The reply to a call that failed.
pub(crate) fn error(id: &RequestId, error: &RpcError) -> Text {
    let object = serde_json::to_string(&error_object(error))
        .expect("an error object holds texts, numbers and JSON values");
    Text::from(format!("{}\"error\":{object}}}", head(id)))
}

/// The error as the method table's own type.
pub(crate) fn error_object(error: &RpcError) -> ErrorObjectOwned {
    let (code, message) = (error.code.number(), error.message.as_str());
    ErrorObjectOwned::owned(code, message, Some(error.data()))
}

/// The replies of a batch as one text.
pub(crate) fn batch(replies: &[Text]) -> Text {
    let mut json = BytesMut::from("[");
    for (index, reply) in replies.iter().enumerate() {
        if index > 0 {
            json.extend_from_slice(b",");
        }
        reply.put(&mut json);
    }
    Text::new(Bytes::new(), json.freeze(), "]")
}

fn head(id: &RequestId) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{},"#, id.json)
}
