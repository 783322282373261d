use std::time::Duration;

use scorel_engine::ToolOutcome;
use scorel_permission::WebUrlError;
use serde_json::Map;

/// The reason why a fetch failed. Messages name the host and no other part of the URL, whose path and query may
/// hold secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The URL does not parse, or has another scheme than http and https.
    #[error(transparent)]
    Url(#[from] WebUrlError),
    /// The URL contains a user name or a password.
    #[error("URLs with a user name or a password are not fetched")]
    Credentials,
    /// The host is not at a public address, and the user has not allowed it. Where its name does not say
    /// so, no question was asked about that.
    #[error(
        "{0} is not at a public address; the user can allow the host with `fetchPrivate` in the configuration"
    )]
    NotPublic(String),
    /// The name does not resolve, or the connection was not accepted.
    #[error("cannot reach {host}: {cause}")]
    Unreachable { host: String, cause: String },
    /// The connection broke while the body was read.
    #[error("the connection to {host} broke while the page was read: {cause}")]
    Cut { host: String, cause: String },
    /// The total time limit was reached.
    #[error("timed out after {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// There are more redirects than the limit.
    #[error("more than {0} redirects")]
    Redirects(usize),
    /// The target of a redirect cannot be fetched.
    #[error("the server redirects to an address that cannot be fetched: {0}")]
    BadRedirect(String),
    /// The content is not text.
    #[error("the content is {0}, not text")]
    NotText(String),
    /// The `Content-Encoding` is unsupported, or the body does not decode.
    #[error("the page cannot be decompressed: {0}")]
    Encoding(String),
    /// The HTML cannot be converted to text.
    #[error("the page's HTML cannot be converted to text: {0}")]
    Html(String),
    /// The HTTP client cannot be built.
    #[error("cannot set up the HTTP client: {0}")]
    Setup(String),
}

impl FetchError {
    /// The stable code, as in the `details` of a failed call.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Url(_) | Self::Credentials => "E_INVALID_ARGUMENTS",
            Self::NotPublic(_) => "E_ADDRESS_REFUSED",
            Self::Unreachable { .. } | Self::Cut { .. } => "E_UNREACHABLE",
            Self::TimedOut(_) => "E_TIMED_OUT",
            Self::Redirects(_) | Self::BadRedirect(_) | Self::Encoding(_) | Self::Html(_) => {
                "E_BAD_RESPONSE"
            }
            Self::NotText(_) => "E_NOT_TEXT",
            Self::Setup(_) => "E_INTERNAL",
        }
    }
}

impl From<FetchError> for ToolOutcome {
    fn from(error: FetchError) -> Self {
        Self::failure(error.code(), &error.to_string(), Map::new())
    }
}
