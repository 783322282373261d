use crate::wire;

pub(super) type AnthropicEndpoint = wire::ModelEndpoint<AnthropicDialect>;

/// The deviations of a host from Anthropic's API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AnthropicDialect {
    /// True if the host knows Anthropic's beta features; others reject their header or fields.
    pub(crate) betas: bool,
}

impl AnthropicDialect {
    /// The parameters that unknown compatible endpoints are assumed to accept.
    pub(crate) const COMPATIBLE: Self = Self { betas: false };
    pub(crate) const ANTHROPIC: Self = Self { betas: true };
}
