/// The ways of one host on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// Whether the host knows the features that are in trial at Anthropic; others refuse them.
    pub(crate) betas: bool,
}

impl Dialect {
    /// What endpoints that call themselves compatible are assumed to accept.
    pub(crate) const COMPATIBLE: Self = Self { betas: false };
    pub(crate) const ANTHROPIC: Self = Self { betas: true };
}
