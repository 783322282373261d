use crate::Price;
use crate::wire::ThinkingLevels;

/// The day on which the prices of the table were looked up.
const NOTED_ON: &str = "2026-11-21";

/// A model of a built-in provider.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownModel {
    pub(crate) id: &'static str,
    /// Input and output together, in tokens.
    pub(crate) context_window: u64,
    pub(crate) max_output_tokens: u64,
    /// Whether the model takes parameters that control reasoning.
    pub(crate) reasoning: bool,
    /// The reasoning levels of this model, where they are fewer than its host's.
    pub(crate) levels: Option<ThinkingLevels>,
    /// Whether the model takes image input.
    pub(crate) images: bool,
    pub(crate) price: Option<Price>,
}

impl KnownModel {
    /// A model that reasons and takes images, without a price.
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

    /// Rejects parameters that control reasoning.
    pub(super) const fn plain(self) -> Self {
        Self {
            reasoning: false,
            ..self
        }
    }

    pub(super) const fn text_only(self) -> Self {
        Self {
            images: false,
            ..self
        }
    }

    pub(super) const fn levels(self, levels: ThinkingLevels) -> Self {
        Self {
            levels: Some(levels),
            ..self
        }
    }

    /// Dollars per million tokens. Where the price depends on the length of the context or the time
    /// of day, the lowest.
    pub(super) const fn price(self, input: f64, output: f64) -> Self {
        self.costing(Price {
            input: Price::from_dollars(input),
            output: Price::from_dollars(output),
            cache_read: None,
            cache_write: None,
            noted_on: Some(NOTED_ON),
        })
    }

    /// Dollars per million tokens read from the prompt cache.
    pub(super) const fn cached(self, dollars: f64) -> Self {
        match self.price {
            Some(price) => self.costing(Price {
                cache_read: Some(Price::from_dollars(dollars)),
                ..price
            }),
            None => self,
        }
    }

    /// Dollars per million tokens written to the prompt cache.
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
