//! The parameters of requests.

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::era::Era;

/// The parameters of a request in an era, with the token of its progress if it may show some.
pub(crate) fn params(era: Era, params: Value, progress: Option<u64>) -> Box<RawValue> {
    let Value::Object(mut params) = params else {
        return raw(&params);
    };
    let mut meta = match era {
        Era::Stateless => about_client(),
        Era::Handshake => Map::new(),
    };
    if let Some(token) = progress {
        meta.insert("progressToken".to_owned(), token.into());
    }
    if !meta.is_empty() {
        params.insert("_meta".to_owned(), meta.into());
    }
    raw(&params.into())
}

/// Each request says alone who asks, and in which version.
fn about_client() -> Map<String, Value> {
    let said = [
        ("protocolVersion", Era::Stateless.version().into()),
        ("clientInfo", client_info()),
        ("clientCapabilities", json!({})),
    ];
    let said = said.into_iter();
    said.map(|(key, value)| (format!("io.modelcontextprotocol/{key}"), value))
        .collect()
}

pub(crate) fn client_info() -> Value {
    json!({ "name": "scorel", "version": env!("CARGO_PKG_VERSION") })
}

pub(crate) fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
