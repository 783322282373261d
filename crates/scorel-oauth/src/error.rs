/// The reason why there is no token. No message contains one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OAuthError {
    /// A person has to log in.
    #[error("{0}")]
    LoginNeeded(String),
    /// It may work later.
    #[error("{0}")]
    Unreachable(String),
    /// A server says what it must not say, or cannot do what is needed.
    #[error("{0}")]
    Refused(String),
    /// The answer of a browser fits no login that was begun.
    #[error("there is no such login: it was ended, or began more than ten minutes ago")]
    UnknownLogin,
    /// Nothing more than that the file is damaged, or cannot be written.
    #[error("{0}")]
    Storage(String),
}
