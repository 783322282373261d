use serde_json::Value;

/// No call costs more, in US dollars: a larger number has another unit.
const MAX_DOLLARS: f64 = 10_000.0;

/// The cost of a call, in millionths of a US dollar. OpenRouter and the gateways that follow it put dollars
/// into `usage.cost`, on every API that they serve.
pub(super) fn charged(payload: &Value) -> Option<u64> {
    let usage = [&payload["usage"], &payload["response"]["usage"]];
    let cost = usage.iter().find_map(|usage| usage["cost"].as_f64())?;
    (0.0..=MAX_DOLLARS)
        .contains(&cost)
        .then(|| (cost * 1e6).round() as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::charged;

    #[test]
    fn a_cost_is_taken_from_each_place_and_rounded() {
        for (payload, expected) in [
            (json!({"usage": {"cost": 0.000_071_59}}), Some(72)),
            (
                json!({"response": {"usage": {"cost": 0.002_937}}}),
                Some(2_937),
            ),
            (json!({"usage": {"cost": 0}}), Some(0)),
            (json!({"usage": {"cost": -1}}), None),
            (json!({"usage": {"cost": "0.002937"}}), None),
            (json!({"usage": {"cost": {"total_cost": 1}}}), None),
            (json!({"usage": null}), None),
            (json!([]), None),
        ] {
            assert_eq!(charged(&payload), expected, "{payload}");
        }
    }
}
