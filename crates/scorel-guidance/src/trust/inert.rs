use scorel_proto::TrustState;

/// The reason why an item of a project is inert.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Inert {
    #[error(
        "`{0}` comes with the project and is not trusted; the user can trust it with `scorelctl trust add {0}`"
    )]
    Untrusted(String),
    #[error(
        "`{0}` has changed since the user trusted it; the user can trust it again with `scorelctl trust add {0}`"
    )]
    Changed(String),
    #[error("the user has another `{0}`, which the project's does not replace")]
    Shadowed(String),
    #[error("`{item}` cannot be used: {reason}")]
    Broken { item: String, reason: String },
}

impl Inert {
    pub(super) fn of(state: TrustState, item: &str) -> Option<Self> {
        match state {
            TrustState::Trusted => None,
            TrustState::Untrusted => Some(Self::Untrusted(item.to_owned())),
            TrustState::Changed => Some(Self::Changed(item.to_owned())),
            TrustState::Shadowed => Some(Self::Shadowed(item.to_owned())),
        }
    }
}
