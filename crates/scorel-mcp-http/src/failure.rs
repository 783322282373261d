use scorel_proto::RpcError;
use serde_json::{Value, json};

/// The member of an error's data that says which failure it is.
const KIND: &str = "scorelHttp";

/// The reason why a request has no answer. Each text is a sentence without its full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HttpFailure {
    /// It did not reach the server.
    Unreachable(String),
    /// It may have been served.
    Lost(String),
    /// A person has to log in.
    Login(String),
    /// The server answers otherwise than the protocol says.
    Refused(String),
}

impl HttpFailure {
    /// The answer to a call that has failed so.
    pub(crate) fn answer(&self, id: u64) -> String {
        let error =
            json!({ "code": -32603, "message": self.reason(), "data": { KIND: self.word() } });
        json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string()
    }

    /// The failure that such an answer told.
    pub fn of(error: &RpcError) -> Option<Self> {
        let reason = error.message.clone();
        match error.details.get(KIND).and_then(Value::as_str)? {
            "unreachable" => Some(Self::Unreachable(reason)),
            "lost" => Some(Self::Lost(reason)),
            "login" => Some(Self::Login(reason)),
            _ => Some(Self::Refused(reason)),
        }
    }

    /// The text.
    pub fn reason(&self) -> &str {
        match self {
            Self::Unreachable(it) | Self::Lost(it) | Self::Login(it) | Self::Refused(it) => it,
        }
    }

    /// Returns whether further requests would fail as well.
    pub(crate) const fn ends(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Login(_))
    }

    const fn word(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "unreachable",
            Self::Lost(_) => "lost",
            Self::Login(_) => "login",
            Self::Refused(_) => "refused",
        }
    }
}
