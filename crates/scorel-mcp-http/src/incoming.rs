//! Texts of a server.

use reqwest::header::CONTENT_TYPE;
use reqwest::{Response, StatusCode};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::failure::HttpFailure;

/// Characters of a refusal that are shown.
const SHOWN: usize = 300;

/// Said when the tools may be others and nothing told of it.
pub(crate) const TOOLS_CHANGED: &str =
    r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;

/// A text that may be an answer.
#[derive(Deserialize)]
struct Incoming<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<IgnoredAny>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Returns whether the body is a stream of events.
pub(crate) fn is_events(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE);
    let kind = kind.and_then(|it| it.to_str().ok()).unwrap_or_default();
    kind.to_ascii_lowercase().starts_with("text/event-stream")
}

/// Returns whether a text is the answer to the call.
pub(crate) fn answers(text: &str, id: u64) -> bool {
    let Ok(read) = serde_json::from_str::<Incoming<'_>>(text) else {
        return false;
    };
    read.method.is_none() && read.id.is_some_and(|it| it.get() == id.to_string())
}

/// The error in an answer, whatever call it names.
pub(crate) fn error_of(text: &str) -> Option<String> {
    let read: Incoming<'_> = serde_json::from_str(text).ok()?;
    // A text is that of OAuth, or of a gateway.
    let error = read.error.filter(|it| it.get().starts_with('{'))?;
    Some(error.get().to_owned())
}

/// An answer that is none of the protocol.
pub(crate) fn refused(status: StatusCode, text: &str) -> HttpFailure {
    let words: Vec<&str> = text.split_whitespace().collect();
    let said: String = words.join(" ").chars().take(SHOWN).collect();
    let status = status.as_u16();
    HttpFailure::Refused(match said.is_empty() {
        true => format!("it answered with HTTP {status}"),
        false => format!("it answered with HTTP {status}: {said}"),
    })
}
