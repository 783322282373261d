use crate::{ThinkingLevels, wire};

pub(super) type GeminiEndpoint = wire::ModelEndpoint<GeminiDialect>;

/// The differences between models of this API beyond their families.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct GeminiDialect {
    /// The levels of the model, where they are known.
    pub(super) levels: Option<ThinkingLevels>,
}

impl GeminiDialect {
    pub(crate) const fn with_levels(levels: Option<ThinkingLevels>) -> Self {
        Self { levels }
    }
}
