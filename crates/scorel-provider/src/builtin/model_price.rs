use jiff::civil::Date;
use serde::Deserialize;

use crate::Price;

/// A price in the table, in US dollars per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct TablePrice {
    pub(super) input: f64,
    pub(super) output: f64,
    pub(super) cache_read: Option<f64>,
    pub(super) cache_write: Option<f64>,
}

impl TablePrice {
    pub(super) fn noted_on(self, day: Date) -> Price {
        Price {
            input: Price::from_dollars(self.input),
            output: Price::from_dollars(self.output),
            cache_read: self.cache_read.map(Price::from_dollars),
            cache_write: self.cache_write.map(Price::from_dollars),
            noted_on: Some(day),
        }
    }
}
