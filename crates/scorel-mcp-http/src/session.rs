use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::Value;

use crate::message::VERSION;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// The session that a server of the older era has given.
#[derive(Debug, Clone, Default)]
pub(crate) struct HttpSession {
    /// Raised when another one began.
    pub(crate) generation: u64,
    id: Option<HeaderValue>,
    version: Option<HeaderValue>,
    /// The request with which it began.
    pub(crate) greeting: Bytes,
    /// The server says when its tools or prompts are others.
    pub(crate) tells_of_lists: bool,
}

/// The session now.
#[derive(Debug, Default)]
pub(crate) struct CurrentSession {
    session: Mutex<HttpSession>,
    /// Held while another one begins: all that found the old one gone share it.
    pub(crate) beginning: tokio::sync::Mutex<()>,
}

#[derive(Deserialize)]
struct Answer {
    result: Greeted,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Greeted {
    protocol_version: String,
    #[serde(default)]
    capabilities: Value,
}

impl HttpSession {
    /// Returns whether the server may have forgotten it.
    pub(crate) const fn has_id(&self) -> bool {
        self.id.is_some()
    }

    pub(crate) fn add_to(&self, headers: &mut HeaderMap) {
        let own = [(SESSION, &self.id), (VERSION, &self.version)];
        for (name, value) in own {
            if let Some(value) = value {
                headers.insert(name, value.clone());
            }
        }
    }
}

impl CurrentSession {
    pub(crate) fn now(&self) -> HttpSession {
        self.lock().clone()
    }

    /// Begins a session with the answer to a greeting.
    pub(crate) fn begin(&self, greeting: Bytes, headers: &HeaderMap, answer: &[u8]) {
        let Ok(Answer { result }) = serde_json::from_slice::<Answer>(answer) else {
            return;
        };
        let tells = |list: &str| result.capabilities[list]["listChanged"] == true;
        let mut session = self.lock();
        *session = HttpSession {
            generation: session.generation + 1,
            id: headers.get(SESSION).cloned(),
            version: HeaderValue::try_from(result.protocol_version).ok(),
            greeting,
            tells_of_lists: ["tools", "prompts"].iter().any(|it| tells(it)),
        };
    }

    fn lock(&self) -> MutexGuard<'_, HttpSession> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
