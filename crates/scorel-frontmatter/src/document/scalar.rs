use serde_json::{Number, Value};

/// The value of a plain scalar by the core schema of YAML 1.2; `None` for a number that JSON does not have.
pub(super) fn plain_value(text: &str) -> Option<Value> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Some(Value::Null),
        "true" | "True" | "TRUE" => return Some(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Some(Value::Bool(false)),
        _ => {}
    }
    for (prefix, radix) in [("0o", 8), ("0x", 16)] {
        let digits = text.strip_prefix(prefix).unwrap_or_default();
        if !digits.is_empty() && digits.chars().all(|it| it.is_digit(radix)) {
            return u64::from_str_radix(digits, radix).ok().map(Value::from);
        }
    }
    // Those of Rust with other characters are not of YAML: `inf`, `nan`.
    let is_numeric = text
        .chars()
        .all(|it| it.is_ascii_digit() || "+-.eE".contains(it));
    match text.parse::<f64>() {
        Ok(float) if is_numeric => whole(text).or_else(|| Number::from_f64(float).map(Value::from)),
        _ if is_infinite(text) => None,
        _ => Some(Value::String(text.to_owned())),
    }
}

fn whole(text: &str) -> Option<Value> {
    let unsigned = text.parse::<u64>().map(Value::from);
    unsigned
        .or_else(|_| text.parse::<i64>().map(Value::from))
        .ok()
}

fn is_infinite(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_scalars_have_the_types_of_the_core_schema() {
        for (text, expected) in [
            ("", json!(null)),
            ("~", json!(null)),
            ("True", json!(true)),
            ("yes", json!("yes")),
            ("-12", json!(-12)),
            ("+12", json!(12)),
            ("0o17", json!(15)),
            ("0xff", json!(255)),
            ("0xfg", json!("0xfg")),
            ("1.5e3", json!(1500.0)),
            (".5", json!(0.5)),
            (".", json!(".")),
            ("e5", json!("e5")),
            ("1e", json!("1e")),
            ("1.1.0", json!("1.1.0")),
            ("2026-01-02", json!("2026-01-02")),
            ("18446744073709551615", json!(u64::MAX)),
        ] {
            assert_eq!(plain_value(text), Some(expected), "{text:?}");
        }
        for text in [".inf", "-.INF", ".nan", "1e999", "0xfffffffffffffffff"] {
            assert_eq!(plain_value(text), None, "{text:?}");
        }
    }
}
