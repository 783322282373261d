/// What a model costs, in millionths of a US dollar per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Input that is not read from the prompt cache.
    pub input: u64,
    /// Output including reasoning.
    pub output: u64,
    /// Input read from the prompt cache; `None` if it costs the same as `input`.
    pub cache_read: Option<u64>,
    /// Input written to the prompt cache; `None` if it costs the same as `input`.
    pub cache_write: Option<u64>,
    /// The day on which the table's price was looked up, such as `2026-10-03`; `None` for a price
    /// from the configuration or the provider.
    pub noted_on: Option<&'static str>,
}

impl Price {
    /// Converts dollars to the unit of the fields.
    #[must_use]
    pub const fn from_dollars(dollars: f64) -> u64 {
        (dollars * 1e6 + 0.5) as u64
    }

    /// Converts the unit of the fields to dollars.
    #[must_use]
    pub const fn to_dollars(amount: u64) -> f64 {
        amount as f64 / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::Price;

    #[test]
    fn dollars_survive_a_round_trip() {
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
