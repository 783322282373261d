use std::time::Duration;

use scorel_runtime::ToolOutcome;
use serde_json::Map;

/// Why a page cannot be had. No message has more of the URL than its host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// It is not a URL.
    #[error("the URL cannot be read: {0}")]
    Url(url::ParseError),
    /// Another scheme than http and https.
    #[error("`{0}` is not fetched; only http and https are")]
    Scheme(String),
    /// There is a user or a password in the URL.
    #[error("a URL with a user name or a password in it is not fetched")]
    Credentials,
    /// The host is not public, and the user has not allowed it.
    #[error(
        "{0} is not a public address; the user can allow the host with `fetchPrivate` in the configuration"
    )]
    NotPublic(String),
    /// The host has no address or does not answer.
    #[error("cannot reach {host}: {cause}")]
    Unreachable {
        /// The host.
        host: String,
        /// What went wrong.
        cause: String,
    },
    /// The connection failed in the middle of the page.
    #[error("the connection to {host} failed in the middle of the page: {cause}")]
    Cut {
        /// The host.
        host: String,
        /// What went wrong.
        cause: String,
    },
    /// It took too long.
    #[error("there was no complete page after {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    /// One redirect more than are followed.
    #[error("there were more than {0} redirects")]
    Redirects(usize),
    /// A redirect to nowhere.
    #[error("the server redirects, but not to a URL")]
    BadRedirect,
    /// Something else than text.
    #[error("it is {0}, not text")]
    NotText(String),
    /// The body is compressed in a way that was not asked for, or not in the way it says.
    #[error("the page is compressed in a way that cannot be read: {0}")]
    Encoding(String),
    /// The HTML cannot be reduced to text.
    #[error("the HTML of the page cannot be read: {0}")]
    Html(String),
    /// No connections can be made at all.
    #[error("cannot set up connections: {0}")]
    Setup(String),
}

impl FetchError {
    /// The stable code, as in the `details` of a failed call.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Url(_) | Self::Scheme(_) | Self::Credentials => "E_INVALID_ARGUMENTS",
            Self::NotPublic(_) => "E_ADDRESS_REFUSED",
            Self::Unreachable { .. } | Self::Cut { .. } => "E_UNREACHABLE",
            Self::TimedOut(_) => "E_TIMED_OUT",
            Self::Redirects(_) | Self::BadRedirect | Self::Encoding(_) | Self::Html(_) => {
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
