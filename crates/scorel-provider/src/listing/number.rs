use serde_json::Value;

use crate::Price;

/// The first positive number among the fields. Some hosts send numbers as strings, and zero where
/// they do not know.
pub(super) fn first(fields: &[&Value]) -> Option<u64> {
    let number = |value: &Value| {
        let text = || value.as_str()?.parse().ok();
        value.as_u64().or_else(text)
    };
    let mut numbers = fields.iter().filter_map(|value| number(value));
    numbers.find(|number| *number > 0)
}

/// Converts dollars per token to the unit of [`Price`]. OpenRouter sends strings, and -1 for a model
/// whose price varies.
pub(super) fn per_token(value: &Value) -> Option<u64> {
    let dollars: f64 = match value {
        Value::String(text) => text.parse().ok()?,
        number => number.as_f64()?,
    };
    (0.0..1.0)
        .contains(&dollars)
        .then(|| Price::from_dollars(dollars * 1e6))
}
