/// What a model costs, in millionths of a US dollar for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Input that was not in the provider's cache.
    pub input: u64,
    /// Output, reasoning included.
    pub output: u64,
    /// Input that was read from the provider's cache, if that has a price of its own.
    pub cache_read: Option<u64>,
    /// Input that was written to the provider's cache, if that has a price of its own.
    pub cache_write: Option<u64>,
    /// The day on which the table's price held, as `2026-10-03`; `None` for a price that the user
    /// named.
    pub noted_on: Option<&'static str>,
}

impl Price {
    /// Dollars in the unit of the fields.
    #[must_use]
    pub const fn from_dollars(dollars: f64) -> u64 {
        (dollars * 1e6 + 0.5) as u64
    }

    /// An amount of the fields in dollars.
    #[must_use]
    pub const fn to_dollars(amount: u64) -> f64 {
        amount as f64 / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::Price;

    #[test]
    fn dollars_come_back_as_they_went() {
        for dollars in [0.0, 0.0375, 0.007, 0.29, 1.1, 3.75, 75.0, 600.0] {
            let amount = Price::from_dollars(dollars);
            assert!(
                (Price::to_dollars(amount) - dollars).abs() < 1e-9,
                "{dollars}"
            );
        }
        assert_eq!(Price::from_dollars(0.29), 290_000);
    }
}
