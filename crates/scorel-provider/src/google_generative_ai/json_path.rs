//! Resolves the `jsonPath` of streamed arguments.

use scorel_engine::MAX_FOREIGN_NESTING;
use serde_json::{Value, json};

use crate::wire::ReplyTally;

/// The most steps of a path. Deeper arguments are refused when they are parsed, and so is a deeper event.
const MAX_STEPS: usize = MAX_FOREIGN_NESTING;

#[derive(Debug, Clone, PartialEq, Eq)]
enum PathStep {
    Field(String),
    Index(usize),
}

/// The value at a path such as `$.steps[0].name`, created on the way. `None` if the path is invalid
/// or contradicts the existing value.
///
/// An array grows by one element at most, so that a path cannot allocate at will.
pub(super) fn resolve<'a>(
    root: &'a mut Value,
    path: &str,
    tally: &mut ReplyTally,
) -> Option<&'a mut Value> {
    let steps = parse(path)?;
    steps.into_iter().try_fold(root, |value, step| match step {
        PathStep::Field(name) => {
            if value.is_null() {
                *value = json!({});
            }
            let fields = value.as_object_mut()?;
            if !fields.contains_key(&name) {
                tally.keep(&Value::Null);
                tally.keep_text(&name);
            }
            Some(fields.entry(name).or_insert(Value::Null))
        }
        PathStep::Index(index) => {
            if value.is_null() {
                *value = json!([]);
            }
            let items = value.as_array_mut()?;
            if index == items.len() {
                tally.keep(&Value::Null);
                items.push(Value::Null);
            }
            items.get_mut(index)
        }
    })
}

fn parse(path: &str) -> Option<Vec<PathStep>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, after) = if let Some(rest) = rest.strip_prefix('.') {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            (PathStep::Field(name.to_owned()), after)
        } else {
            bracketed(rest.strip_prefix('[')?)?
        };
        steps.push(step);
        if steps.len() > MAX_STEPS {
            return None;
        }
        rest = after;
    }
    Some(steps)
}

/// Parses what follows `[`: an index or a quoted name.
fn bracketed(rest: &str) -> Option<(PathStep, &str)> {
    let quote = rest
        .chars()
        .next()
        .filter(|first| matches!(first, '\'' | '"'));
    if let Some(quote) = quote {
        let (name, after) = quoted(&rest[1..], quote)?;
        return Some((PathStep::Field(name), after.strip_prefix(']')?));
    }
    let (number, after) = rest.split_once(']')?;
    Some((PathStep::Index(number.parse().ok()?), after))
}

fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        if char == quote {
            return Some((name, &text[at + 1..]));
        }
        let escaped = char == '\\';
        name.push(if escaped { chars.next()?.1 } else { char });
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{MAX_STEPS, resolve};
    use crate::wire::ReplyTally;

    fn put(root: &mut Value, path: &str, value: Value) -> bool {
        let target = resolve(root, path, &mut ReplyTally::default());
        target.map(|target| *target = value).is_some()
    }

    #[test]
    fn missing_parents_are_created() {
        let mut root = json!({});
        assert!(put(&mut root, "$.a.b[0].c", json!(1)));
        assert!(put(&mut root, "$.a.b[1]", json!("x")));
        assert!(put(&mut root, "$['x.y'][\"it\\\"s\"]", json!(true)));
        let expected = json!({"a": {"b": [{"c": 1}, "x"]}, "x.y": {"it\"s": true}});
        assert_eq!(root, expected);
    }

    #[test]
    fn paths_of_many_steps_are_refused() {
        for step in [".a", "[0]", "['a']"] {
            let path = |steps: usize| format!("${}", step.repeat(steps));
            assert!(put(&mut Value::Null, &path(MAX_STEPS), json!(1)));
            assert!(!put(&mut Value::Null, &path(MAX_STEPS + 1), json!(1)));
            assert!(!put(&mut Value::Null, &path(1_000_000), json!(1)));
        }
    }

    #[test]
    fn paths_that_lead_nowhere_are_refused() {
        let mut root = json!({"a": "text", "b": []});
        for path in [
            "a", "$.a.b", "$.b[1]", "$.b[x]", "$.b['", "$[0]", "$x", "$.b[0",
        ] {
            assert!(!put(&mut root, path, json!(1)), "{path}");
        }
        assert_eq!(root, json!({"a": "text", "b": []}));
    }
}
