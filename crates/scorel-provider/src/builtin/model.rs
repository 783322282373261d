use super::Levels;
use crate::Price;

/// The day on which the prices were looked up.
const NOTED_ON: &str = "2026-11-21";

/// What the table knows about a model.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownModel {
    pub(crate) id: &'static str,
    pub(crate) context_window: u64,
    pub(crate) max_output_tokens: u64,
    /// Whether it can be told how much to think.
    pub(crate) reasoning: bool,
    /// The levels that it knows, from least to most, where its host knows more.
    pub(crate) levels: Levels,
    /// Whether it takes pictures.
    pub(crate) images: bool,
    pub(crate) price: Option<Price>,
}

impl KnownModel {
    /// A model that takes pictures and can be told how much to think.
    pub(super) const fn new(id: &'static str, context_window: u64, max_output_tokens: u64) -> Self {
        Self {
            id,
            context_window,
            max_output_tokens,
            reasoning: true,
            levels: None,
            images: true,
            price: None,
        }
    }

    /// The same, but it cannot be told how much to think.
    pub(super) const fn plain(self) -> Self {
        Self {
            reasoning: false,
            ..self
        }
    }

    /// The same, but it takes no pictures.
    pub(super) const fn text_only(self) -> Self {
        Self {
            images: false,
            ..self
        }
    }

    /// The same with fewer levels than its host has.
    pub(super) const fn levels(self, levels: &'static [scorel_proto::ThinkingLevel]) -> Self {
        Self {
            levels: Some(levels),
            ..self
        }
    }

    /// The same with what a million tokens of input and of output cost, in dollars. Where the price
    /// depends on the length of the context or on the hour, it is the lowest.
    pub(super) const fn price(self, input: f64, output: f64) -> Self {
        self.costing(Price {
            input: Price::from_dollars(input),
            output: Price::from_dollars(output),
            cache_read: None,
            cache_write: None,
            noted_on: Some(NOTED_ON),
        })
    }

    /// The same with what a million tokens cost that are read from the provider's cache.
    pub(super) const fn cached(self, dollars: f64) -> Self {
        match self.price {
            Some(price) => self.costing(Price {
                cache_read: Some(Price::from_dollars(dollars)),
                ..price
            }),
            None => self,
        }
    }

    /// The same with what a million tokens cost that are written to the provider's cache.
    pub(super) const fn cache_writes(self, dollars: f64) -> Self {
        match self.price {
            Some(price) => self.costing(Price {
                cache_write: Some(Price::from_dollars(dollars)),
                ..price
            }),
            None => self,
        }
    }

    const fn costing(self, price: Price) -> Self {
        Self {
            price: Some(price),
            ..self
        }
    }
}
