use std::borrow::Cow;

use bytes::{Bytes, BytesMut};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use scorel_peer::JsonText;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::header_value::header_value;
use crate::param_headers::ParamHeaders;

pub(crate) const INITIALIZE: &str = "initialize";
pub(crate) const INITIALIZED: &str = "notifications/initialized";
pub(crate) const CANCELLED: &str = "notifications/cancelled";
pub(crate) const LISTEN: &str = "subscriptions/listen";

pub(crate) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// The version whose requests stand alone.
const STATELESS: &str = "2026-07-28";

const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// A text that goes to the server.
#[derive(Debug)]
pub(crate) struct Message {
    /// That of a call.
    pub(crate) id: Option<u64>,
    /// Empty for an answer.
    pub(crate) method: String,
    pub(crate) body: Bytes,
    /// The headers that repeat it.
    pub(crate) headers: HeaderMap,
    /// It says alone who asks, and in which version.
    pub(crate) is_stateless: bool,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    id: Option<u64>,
    #[serde(borrow, default)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Params<'a> {
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    uri: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(rename = "_meta", default)]
    meta: Meta,
    #[serde(rename = "requestId")]
    request_id: Option<u64>,
}

#[derive(Default, Deserialize)]
struct Meta {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<String>,
}

impl Message {
    pub(crate) fn new(text: &JsonText, param_headers: &ParamHeaders) -> Self {
        let mut body = BytesMut::with_capacity(text.len());
        text.put(&mut body);
        let body = body.freeze();
        let envelope = serde_json::from_slice::<Envelope<'_>>(&body);
        let envelope = envelope.unwrap_or(Envelope {
            id: None,
            method: Cow::Borrowed(""),
            params: None,
        });
        let params = params(envelope.params);
        let is_stateless = params.meta.version.as_deref() == Some(STATELESS);
        let mut headers = HeaderMap::new();
        if is_stateless {
            headers.insert(VERSION, HeaderValue::from_static(STATELESS));
            headers.insert(METHOD, header_value(&envelope.method));
            if let Some(name) = params.name.as_deref().or(params.uri.as_deref()) {
                headers.insert(NAME, header_value(name));
                param_headers.add(name, params.arguments, &mut headers);
            }
        }
        Self {
            id: envelope.id.filter(|_| !envelope.method.is_empty()),
            method: envelope.method.into_owned(),
            headers,
            is_stateless,
            body,
        }
    }

    /// The call that it withdraws.
    pub(crate) fn withdraws(&self) -> Option<u64> {
        let envelope = serde_json::from_slice::<Envelope<'_>>(&self.body).ok()?;
        params(envelope.params.filter(|_| self.method == CANCELLED)).request_id
    }
}

fn params(raw: Option<&RawValue>) -> Params<'_> {
    let read = raw.map(|it| serde_json::from_str(it.get()));
    read.and_then(Result::ok).unwrap_or_default()
}
