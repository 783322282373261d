use scorel_proto::{Cost, CostSource, Usage};

/// What a model's tokens cost, in millionths of a US dollar per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenPrice {
    /// Input that is not read from the prompt cache.
    pub input: u64,
    /// Output including reasoning.
    pub output: u64,
    /// Input read from the prompt cache; `None`: as other input.
    pub cache_read: Option<u64>,
    /// Input written to the prompt cache; `None`: as other input.
    pub cache_write: Option<u64>,
    /// Where the price comes from.
    pub source: CostSource,
}

const MILLION: u128 = 1_000_000;

impl TokenPrice {
    /// The price of a model that costs nothing.
    pub const FREE: Self = Self {
        input: 0,
        output: 0,
        cache_read: None,
        cache_write: None,
        source: CostSource::Table,
    };

    /// Returns whether no call can cost anything.
    pub fn is_free(&self) -> bool {
        let cached = [self.cache_read, self.cache_write];
        self.input == 0 && self.output == 0 && cached.iter().all(|price| price.unwrap_or(0) == 0)
    }

    /// The cost of a call.
    pub fn cost(&self, usage: &Usage) -> Cost {
        let cached = usage.cache_read_tokens + usage.cache_write_tokens;
        let or_input = |price: Option<u64>| price.unwrap_or(self.input);
        let parts = [
            (usage.input_tokens.saturating_sub(cached), self.input),
            (usage.cache_read_tokens, or_input(self.cache_read)),
            (usage.cache_write_tokens, or_input(self.cache_write)),
            (usage.output_tokens, self.output),
        ];
        let sum = parts
            .into_iter()
            .map(|(tokens, price)| u128::from(tokens) * u128::from(price))
            .sum();
        Cost {
            micro_usd: rounded(sum),
            source: self.source,
        }
    }

    /// What so many input tokens cost, in millionths of a US dollar, if none of them is cached.
    pub fn of_input(&self, tokens: u64) -> u64 {
        rounded(u128::from(tokens) * u128::from(self.input))
    }
}

/// What a call of a model at `price` cost, if the endpoint reported `usage` and said that it `charged`
/// so many millionths of a US dollar; `None` if that is not known.
///
/// A price that the user states stands above what the endpoint reports, which may be in another
/// currency.
pub fn call_cost(
    price: Option<TokenPrice>,
    usage: Option<Usage>,
    charged: Option<u64>,
) -> Option<Cost> {
    let at = |price: TokenPrice| usage.map(|usage| price.cost(&usage));
    let stated = price.filter(|price| price.source == CostSource::Config);
    let reported = charged.map(|micro_usd| Cost {
        micro_usd,
        source: CostSource::Reported,
    });
    stated
        .and_then(at)
        .or(reported)
        .or_else(|| price.and_then(at))
}

fn rounded(sum: u128) -> u64 {
    u64::try_from((sum + MILLION / 2) / MILLION).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_token_has_its_price() {
        let price = TokenPrice {
            input: 3_000_000,
            output: 15_000_000,
            cache_read: Some(300_000),
            cache_write: Some(3_750_000),
            source: CostSource::Config,
        };
        let usage = Usage {
            input_tokens: 1_000,
            output_tokens: 100,
            cache_read_tokens: 600,
            cache_write_tokens: 300,
            reasoning_tokens: 40,
        };
        let cost = price.cost(&usage);
        // 100 × 3 + 600 × 0.3 + 300 × 3.75 + 100 × 15 dollars per million.
        assert_eq!(cost.micro_usd, 300 + 180 + 1_125 + 1_500);
        assert_eq!(cost.source, CostSource::Config);
        let without = TokenPrice {
            cache_read: None,
            cache_write: None,
            ..price
        };
        assert_eq!(without.cost(&usage).micro_usd, 3_000 + 1_500);
    }

    #[test]
    fn amounts_are_rounded_and_never_overflow() {
        let price = TokenPrice {
            input: 1,
            ..TokenPrice::FREE
        };
        let of = |input_tokens| Usage {
            input_tokens,
            ..Usage::default()
        };
        assert_eq!(price.cost(&of(499_999)).micro_usd, 0);
        assert_eq!(price.cost(&of(500_000)).micro_usd, 1);
        let dear = TokenPrice {
            input: u64::MAX,
            ..price
        };
        assert_eq!(dear.cost(&of(u64::MAX)).micro_usd, u64::MAX);
        assert!(TokenPrice::FREE.is_free() && !price.is_free());
    }
}
