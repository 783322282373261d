use crate::{ThinkingLevels, wire};

pub(super) type AnthropicEndpoint = wire::ModelEndpoint<AnthropicDialect>;

/// The deviations of a host from Anthropic's API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AnthropicDialect {
    /// True if the host knows Anthropic's beta features; others reject their header or fields.
    pub(crate) betas: bool,
    /// The levels of the model, where they are known.
    pub(super) levels: Option<ThinkingLevels>,
}

impl AnthropicDialect {
    /// The parameters that unknown compatible endpoints are assumed to accept.
    pub(crate) const COMPATIBLE: Self = Self {
        betas: false,
        levels: None,
    };
    pub(crate) const ANTHROPIC: Self = Self {
        betas: true,
        levels: None,
    };

    /// The same with the levels of one model.
    pub(crate) const fn with_levels(self, levels: Option<ThinkingLevels>) -> Self {
        Self { levels, ..self }
    }
}
