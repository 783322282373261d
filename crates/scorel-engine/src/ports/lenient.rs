//! Arguments in the spellings that models have learnt from other tools.
//!
//! Only those that do not fit are looked at, and nothing is changed that could mean something else. The record
//! keeps what the model sent.

use serde_json::{Map, Value};

/// Names in other tools, and the name here.
const ALIASES: [(&str, &str); 17] = [
    ("-a", "after"),
    ("-b", "before"),
    ("-c", "context"),
    ("-i", "ignorecase"),
    ("cmd", "command"),
    ("filename", "path"),
    ("filepath", "path"),
    ("headlimit", "limit"),
    ("include", "glob"),
    ("newstr", "newstring"),
    ("notebookpath", "path"),
    ("oldstr", "oldstring"),
    ("outputmode", "mode"),
    ("runinbackground", "background"),
    ("timeout", "timeoutms"),
    ("todos", "items"),
    ("workdir", "cwd"),
];

/// Remarks that some tools take, and that change nothing.
const REMARKS: [&str; 6] = [
    "activeform",
    "description",
    "explanation",
    "id",
    "priority",
    "thought",
];

/// A shorter `timeout` may be in seconds.
const MILLISECONDS: u64 = 1000;

/// The arguments as the schema has them, as far as that is plain.
pub(super) fn lenient(input: Value, schema: &Value) -> Value {
    match (input, schema["type"].as_str()) {
        (Value::Object(fields), Some("object")) => object(fields, schema),
        (Value::Array(items), Some("array")) => {
            let items = items.into_iter().map(|it| lenient(it, &schema["items"]));
            Value::Array(items.collect())
        }
        (Value::String(text), Some("array")) => match serde_json::from_str(&text) {
            Ok(items @ Value::Array(_)) => lenient(items, schema),
            _ => Value::String(text),
        },
        (item @ Value::Object(_), Some("array")) => lenient(Value::Array(vec![item]), schema),
        (Value::String(text), Some("integer")) => match text.trim().parse::<u64>() {
            Ok(number) => number.into(),
            Err(_) => Value::String(text),
        },
        (Value::String(text), Some("boolean")) => match text.as_str() {
            "true" => true.into(),
            "false" => false.into(),
            _ => Value::String(text),
        },
        (Value::Number(number), Some("integer")) => whole(&number).unwrap_or(Value::Number(number)),
        (other, _) => other,
    }
}

fn object(fields: Map<String, Value>, schema: &Value) -> Value {
    let Some(properties) = schema["properties"].as_object() else {
        return Value::Object(fields);
    };
    let (mut known, mut others) = (Map::new(), Map::new());
    for (name, value) in fields {
        let is_unclear = name == "timeout" && value.as_u64().is_none_or(|it| it < MILLISECONDS);
        match property(&name, properties).filter(|property| *property == name || !is_unclear) {
            Some(property) if !known.contains_key(property) => {
                let value = lenient(value, &properties[property]);
                // Counted from 1: 0 is the beginning too.
                let is_begin = property == "offset" && value == 0;
                if !(is_begin && properties[property]["minimum"] == 1) {
                    known.insert(property.to_owned(), value);
                }
            }
            None if REMARKS.contains(&plain(&name).as_str()) => {}
            _ => {
                others.insert(name, value);
            }
        }
    }
    // The fields of the only item of a list, without the list.
    let mut lists = properties.iter().filter(|(name, property)| {
        let fields = property["items"]["properties"].as_object();
        let has = |name: &String| fields.is_some_and(|it| self::property(name, it).is_some());
        !known.contains_key(*name) && !others.is_empty() && others.keys().all(has)
    });
    match lists.next() {
        Some((name, property)) => {
            let item = lenient(Value::Object(others), &property["items"]);
            known.insert(name.clone(), Value::Array(vec![item]));
        }
        // An unknown field stays, and is refused by its name.
        None => known.extend(others),
    }
    Value::Object(known)
}

/// The property that is meant by a name.
fn property<'a>(name: &str, properties: &'a Map<String, Value>) -> Option<&'a str> {
    let find = |wanted: &str| {
        let mut names = properties.keys().map(String::as_str);
        names.find(|it| plain(it) == wanted)
    };
    let exact = properties
        .get_key_value(name)
        .map(|(name, _)| name.as_str());
    let name = plain(name);
    let alias = || ALIASES.iter().find(|(alias, _)| *alias == name);
    exact
        .or_else(|| find(&name))
        .or_else(|| alias().and_then(|(_, wanted)| find(wanted)))
}

/// A name without what languages spell differently.
fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace('_', "")
}

fn whole(number: &serde_json::Number) -> Option<Value> {
    let value = number
        .as_f64()
        .filter(|it| number.is_f64() && it.fract() == 0.0)?;
    // Larger ones are not exact.
    let is_exact = (0.0..=9_007_199_254_740_992.0).contains(&value);
    is_exact
        .then(|| format!("{value:.0}").parse::<u64>().ok())?
        .map(Value::from)
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;
    use serde_json::json;

    use super::super::arguments::parse_arguments;

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    struct Edit {
        old_string: String,
        #[serde(default)]
        new_string: String,
        replace_all: Option<bool>,
    }

    #[derive(Debug, Deserialize, JsonSchema, PartialEq)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    struct Arguments {
        path: String,
        #[serde(default)]
        edits: Vec<Edit>,
        offset: Option<std::num::NonZeroU64>,
        limit: Option<u8>,
        background: Option<bool>,
        timeout_ms: Option<u64>,
    }

    #[test]
    fn habits_of_models_are_understood() {
        let edits = json!([{ "oldString": "a", "newString": "b", "replaceAll": true }]);
        for (sent, meant) in [
            (json!({ "file_path": "x" }), json!({ "path": "x" })),
            (
                json!({ "Path": "x", "description": "d", "explanation": 1 }),
                json!({ "path": "x" }),
            ),
            (
                json!({ "path": "x", "offset": 0, "limit": "2" }),
                json!({ "path": "x", "limit": 2 }),
            ),
            (
                json!({ "path": "x", "offset": 3.0, "run_in_background": "true", "timeout": 5000 }),
                json!({ "path": "x", "offset": 3, "background": true, "timeoutMs": 5000 }),
            ),
            (
                json!({ "file_path": "x", "old_string": "a", "new_string": "b", "replace_all": "true" }),
                json!({ "path": "x", "edits": edits }),
            ),
            (
                json!({ "path": "x", "edits": edits.to_string() }),
                json!({ "path": "x", "edits": edits }),
            ),
            (
                json!({ "path": "x", "edits": edits[0] }),
                json!({ "path": "x", "edits": edits }),
            ),
            (
                json!({ "path": "x", "edits": [{ "old_str": "a", "new_str": "b", "replace_all": true }] }),
                json!({ "path": "x", "edits": edits }),
            ),
        ] {
            let found = parse_arguments::<Arguments>(sent.clone());
            let expected = parse_arguments::<Arguments>(meant).unwrap();
            assert_eq!(found.as_ref().unwrap_or(&expected), &expected, "{sent}");
            assert!(found.is_ok(), "{sent}: {found:?}");
        }
    }

    #[test]
    fn what_could_mean_something_else_is_refused() {
        for (sent, told) in [
            (
                json!({ "path": "x", "file_path": "y" }),
                "unknown field `file_path`",
            ),
            (
                json!({ "path": "x", "timeout": 30 }),
                "unknown field `timeout`",
            ),
            (
                json!({ "path": "x", "limit": "two" }),
                "`limit`: invalid type: string \"two\"",
            ),
            (
                json!({ "path": "x", "limit": 2.5 }),
                "`limit`: invalid type: floating point",
            ),
            (
                json!({ "path": "x", "limit": -1 }),
                "`limit`: invalid value: integer `-1`",
            ),
            (
                json!({ "path": "x", "dryRun": true }),
                "unknown field `dryRun`",
            ),
            (
                json!({ "path": "x", "edits": "a" }),
                "`edits`: invalid type: string \"a\"",
            ),
            (json!({ "path": ["x"] }), "`path`: invalid type: sequence"),
            (
                json!({ "path": "x", "background": 1 }),
                "`background`: invalid type: integer `1`",
            ),
            (json!({}), "missing field `path`"),
        ] {
            let message = parse_arguments::<Arguments>(sent.clone())
                .unwrap_err()
                .message;
            assert!(message.contains(told), "{sent}: {message}");
        }
    }
}
