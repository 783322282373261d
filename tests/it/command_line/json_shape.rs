use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// Keys whose values are names of the protocol: which there are is a part of the shape.
const NAMES: [&str; 14] = [
    "type",
    "phase",
    "status",
    "kind",
    "role",
    "reason",
    "manager",
    "state",
    "mode",
    "code",
    "decision",
    "stopReason",
    "exitCode",
    "layer",
];

/// What lines of output look like: one shape for each `type`, in the order of their names, and one for
/// lines without.
pub(super) fn of_lines(lines: &[Value]) -> Value {
    let types: BTreeSet<&str> = lines
        .iter()
        .filter_map(|line| line["type"].as_str())
        .collect();
    let without = lines.iter().filter(|line| !line["type"].is_string());
    let mut shapes: Vec<Value> = without.map(of).reduce(merged).into_iter().collect();
    for name in types {
        let same = lines.iter().filter(|line| line["type"] == name);
        shapes.extend(same.map(of).reduce(merged));
    }
    Value::Array(shapes)
}

/// Keys, and the types of values between angle brackets.
pub(super) fn of(value: &Value) -> Value {
    match value {
        Value::Null => json!("<null>"),
        Value::Bool(_) => json!("<bool>"),
        Value::Number(_) => json!("<number>"),
        Value::String(text) => json!(of_text(text)),
        Value::Array(items) => items
            .iter()
            .map(of)
            .reduce(merged)
            .map_or_else(|| json!([]), |item| json!([item])),
        Value::Object(fields) => {
            let shapes = fields.iter().map(|(key, value)| {
                let is_name = NAMES.contains(&&**key) && is_name(value);
                let shape = match value {
                    Value::String(text) if is_name => json!(text),
                    number if is_name => json!(number.to_string()),
                    value => of(value),
                };
                (key.clone(), shape)
            });
            Value::Object(shapes.collect())
        }
    }
}

fn is_name(value: &Value) -> bool {
    let is_word = |text: &str| {
        text.chars()
            .all(|it| it.is_ascii_alphanumeric() || it == '_')
    };
    value.is_number() || value.as_str().is_some_and(is_word)
}

/// An id by its prefix, any other text as such.
fn of_text(text: &str) -> String {
    let id = text.split_once('_').filter(|(prefix, digits)| {
        prefix.len() == 3
            && digits.len() == 26
            && digits.bytes().all(|it| it.is_ascii_alphanumeric())
    });
    match id {
        Some((prefix, _)) => format!("<{prefix}_…>"),
        None => "<string>".to_owned(),
    }
}

/// What both look like. A key that one lacks ends with `?`.
fn merged(one: Value, other: Value) -> Value {
    match (one, other) {
        (one, other) if one == other => one,
        (Value::Object(one), Value::Object(other)) => Value::Object(merged_fields(&one, &other)),
        (Value::Array(one), Value::Array(other)) => {
            let items = one.into_iter().chain(other).reduce(merged);
            Value::Array(items.into_iter().collect())
        }
        (one, other) => {
            let mut all: Vec<String> = [one, other].iter().flat_map(alternatives).collect();
            all.sort();
            all.dedup();
            json!(all.join(" | "))
        }
    }
}

fn alternatives(shape: &Value) -> Vec<String> {
    match shape {
        Value::String(text) => text.split(" | ").map(str::to_owned).collect(),
        other => vec![other.to_string()],
    }
}

fn merged_fields(one: &Map<String, Value>, other: &Map<String, Value>) -> Map<String, Value> {
    let bare = |key: &str| key.trim_end_matches('?').to_owned();
    let find = |fields: &Map<String, Value>, key: &str| {
        let optional = format!("{key}?");
        let found = fields.get(key).map(|shape| (shape.clone(), false));
        found.or_else(|| fields.get(&optional).map(|shape| (shape.clone(), true)))
    };
    let mut keys: Vec<String> = one.keys().map(|key| bare(key)).collect();
    for key in other.keys().map(|key| bare(key)) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let mut fields = Map::new();
    for key in keys {
        let (shape, optional) = match (find(one, &key), find(other, &key)) {
            (Some((a, x)), Some((b, y))) => (merged(a, b), x || y),
            (Some((shape, _)), None) | (None, Some((shape, _))) => (shape, true),
            (None, None) => continue,
        };
        fields.insert(if optional { format!("{key}?") } else { key }, shape);
    }
    fields
}

#[test]
fn shapes_of_several_values_are_one() {
    let lines = [
        json!({"type": "a", "n": 1, "id": "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV"}),
        json!({"type": "b"}),
        json!({"type": "a", "n": null, "list": [{"x": 1}, {"y": true}]}),
    ];
    let expected = json!([
        {
            "type": "a",
            "n": "<null> | <number>",
            "id?": "<ses_…>",
            "list?": [{"x?": "<number>", "y?": "<bool>"}],
        },
        {"type": "b"},
    ]);
    assert_eq!(of_lines(&lines), expected);
}
