//! Encoding replies.

use bytes::{Bytes, BytesMut};
use jsonrpsee::types::ErrorObjectOwned;
use scorel_peer::{ErrorObject, JsonText, RequestId, answer_head};
use scorel_proto::RpcError;

/// The beginning of every reply from jsonrpsee's table, which is always called with a null id: its id
/// type would not keep the bytes of the client's.
const NULL_REPLY: &str = r#"{"jsonrpc":"2.0","id":null,"#;

/// Replaces the null id of a reply from jsonrpsee's table, without copying the rest.
pub(crate) fn readdress(id: &RequestId, json: Box<str>) -> Option<JsonText> {
    json.starts_with(NULL_REPLY).then(|| {
        let rest = Bytes::from(json.into_boxed_bytes()).slice(NULL_REPLY.len()..);
        JsonText::new(answer_head(id), rest, "")
    })
}

/// An error as jsonrpsee's type.
pub(crate) fn error_object(error: &RpcError) -> ErrorObjectOwned {
    let ErrorObject { message, data, .. } = ErrorObject::from(error);
    ErrorObjectOwned::owned(error.code.number(), message, Some(data))
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
