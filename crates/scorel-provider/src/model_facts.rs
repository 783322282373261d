use scorel_proto::ThinkingLevel;

use crate::{Price, ThinkingLevels};

/// Capabilities and price of a model; `None` where they are unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ModelFacts {
    /// Input and output together, in tokens.
    pub context_window: Option<u64>,
    /// The largest reply, in tokens.
    pub max_output_tokens: Option<u64>,
    /// True if the model takes parameters that control reasoning.
    pub reasoning: Option<bool>,
    /// The thinking levels that the model has.
    pub levels: Option<ThinkingLevels>,
    /// True if the model takes image input.
    pub images: Option<bool>,
    pub price: Option<Price>,
}

impl ModelFacts {
    /// These facts, completed by `others`.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            context_window: self.context_window.or(others.context_window),
            max_output_tokens: self.max_output_tokens.or(others.max_output_tokens),
            reasoning: self.reasoning.or(others.reasoning),
            levels: self.levels.or(others.levels),
            images: self.images.or(others.images),
            price: self.price.or(others.price),
        }
    }

    /// The facts that an endpoint listed, completed by the table. Lists of efforts do not say whether reasoning
    /// can be switched off, which is a parameter of its own; the table does.
    pub(crate) fn listed_over(listed: Self, table: Self) -> Self {
        let can_be_off = table
            .levels
            .is_some_and(|levels| levels.contains(ThinkingLevel::None));
        let levels = listed.levels.map(|levels| match can_be_off {
            true => levels.with(ThinkingLevel::None),
            false => levels,
        });
        Self { levels, ..listed }.or(table)
    }

    /// The longest answer to ask for. One that fills the whole context window is not an answer's limit: it
    /// leaves no room for the question.
    pub(crate) fn output_limit(self) -> Option<u64> {
        self.max_output_tokens
            .filter(|limit| self.context_window.is_none_or(|window| *limit < window))
    }
}
