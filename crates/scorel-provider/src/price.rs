use jiff::civil::Date;

/// The price of a model, in millionths of a US dollar per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Price {
    /// Input that is not read from the prompt cache.
    pub input: u64,
    /// Output including reasoning.
    pub output: u64,
    /// Input read from the prompt cache; `None` if that is unknown.
    pub cache_read: Option<u64>,
    /// Input written to the prompt cache; `None` if that is unknown.
    pub cache_write: Option<u64>,
    /// The day of a price from the table or from an earlier list of the endpoint; `None` for a price
    /// from the configuration or one that the endpoint just stated.
    pub noted_on: Option<Date>,
}

impl Price {
    /// After how many days a price is only an estimate.
    pub const GOOD_FOR_DAYS: i64 = 60;

    /// Returns whether the price was noted so long ago that it may have changed.
    pub fn is_estimate(&self, today: Date) -> bool {
        self.noted_on
            .is_some_and(|noted| noted.duration_until(today).as_hours() / 24 > Self::GOOD_FOR_DAYS)
    }

    /// Converts dollars to the unit of the fields.
    pub const fn from_dollars(dollars: f64) -> u64 {
        (dollars * 1e6 + 0.5) as u64
    }

    /// Converts the unit of the fields to dollars.
    pub const fn to_dollars(amount: u64) -> f64 {
        amount as f64 / 1e6
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::Price;

    #[test]
    fn a_price_is_an_estimate_after_sixty_days() {
        let noted_on = Some(date(2026, 9, 1));
        let price = Price {
            input: 1,
            output: 2,
            cache_read: None,
            cache_write: None,
            noted_on,
        };
        for (today, estimate) in [
            (date(2026, 8, 1), false),
            (date(2026, 9, 1), false),
            (date(2026, 10, 31), false),
            (date(2026, 11, 1), true),
            (date(2027, 9, 1), true),
        ] {
            assert_eq!(price.is_estimate(today), estimate, "{today}");
        }
        let stated = Price {
            noted_on: None,
            ..price
        };
        assert!(!stated.is_estimate(date(2030, 1, 1)));
    }

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
