//! Days in the table, such as `2026-11-21`.

use jiff::civil::Date;
use serde::{Deserialize, Deserializer, de::Error};

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(D::Error::custom)
}
