use serde_json::{Map, Value};

/// The form of a JSON value.
#[derive(Debug)]
pub(crate) enum Shape {
    Flag,
    Text,
    /// A text of at least one character.
    Words,
    /// A letter or digit, then letters, digits and `._:-`.
    Id,
    /// `1.1`, or a release of it.
    FormatVersion,
    SemanticVersion,
    /// A SHA-256 in hexadecimal.
    Digest,
    /// A whole number from 1 on.
    Count,
    OneOf(&'static [&'static str]),
    List(&'static Shape),
    NonEmptyList(&'static Shape),
    /// A text of at least one character, or a list of such.
    WordsOrList,
    Object,
    Record(&'static [Field]),
    /// A record that may have fields of other programs.
    OpenRecord(&'static [Field]),
}

/// A field of a record.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) is_required: bool,
    pub(crate) shape: &'static Shape,
}

pub(crate) const fn required(name: &'static str, shape: &'static Shape) -> Field {
    Field {
        name,
        is_required: true,
        shape,
    }
}

pub(crate) const fn optional(name: &'static str, shape: &'static Shape) -> Field {
    Field {
        name,
        is_required: false,
        shape,
    }
}

/// All places where a value is not of its shape.
#[derive(Debug)]
pub(crate) struct ShapeCheck<F> {
    /// Hears of the pointer and the mistake.
    pub(crate) report: F,
}

impl<F: FnMut(&str, String)> ShapeCheck<F> {
    pub(crate) fn check(&mut self, value: &Value, shape: &Shape, pointer: &str) {
        match shape {
            Shape::List(of) => self.list(value, of, 0, pointer),
            Shape::NonEmptyList(of) => self.list(value, of, 1, pointer),
            Shape::WordsOrList if value.is_array() => self.list(value, &Shape::Words, 1, pointer),
            Shape::Record(fields) => self.record(value, fields, false, pointer),
            Shape::OpenRecord(fields) => self.record(value, fields, true, pointer),
            shape => {
                if !fits(value, shape) {
                    (self.report)(pointer, format!("it is not {}", described(shape)));
                }
            }
        }
    }

    fn list(&mut self, value: &Value, of: &Shape, least: usize, pointer: &str) {
        let Value::Array(items) = value else {
            (self.report)(pointer, "it is not a list".to_owned());
            return;
        };
        if items.len() < least {
            (self.report)(pointer, "it has no items".to_owned());
        }
        for (index, item) in items.iter().enumerate() {
            self.check(item, of, &format!("{pointer}/{index}"));
        }
    }

    fn record(&mut self, value: &Value, fields: &[Field], is_open: bool, pointer: &str) {
        let Value::Object(found) = value else {
            (self.report)(pointer, "it is not an object".to_owned());
            return;
        };
        for field in fields {
            match found.get(field.name) {
                Some(value) => self.check(value, field.shape, &child(pointer, field.name)),
                None if field.is_required => {
                    (self.report)(pointer, format!("`{}` is missing", field.name));
                }
                None => {}
            }
        }
        if !is_open {
            self.unknown(found, fields, pointer);
        }
    }

    fn unknown(&mut self, found: &Map<String, Value>, fields: &[Field], pointer: &str) {
        for name in found.keys() {
            if !fields.iter().any(|field| field.name == name) {
                (self.report)(&child(pointer, name), "there is no such field".to_owned());
            }
        }
    }
}

/// The pointer of a field.
pub(crate) fn child(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// True for an id of the format.
fn is_id(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_alphanumeric())
        && text
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || "._:-".contains(it))
}

fn fits(value: &Value, shape: &Shape) -> bool {
    let is_text = |fits: &dyn Fn(&str) -> bool| value.as_str().is_some_and(fits);
    match shape {
        Shape::Flag => value.is_boolean(),
        Shape::Text => value.is_string(),
        Shape::Words | Shape::WordsOrList => is_text(&|it| !it.is_empty()),
        Shape::Id => is_text(&is_id),
        Shape::FormatVersion => is_text(&is_format_version),
        Shape::SemanticVersion => is_text(&is_semantic_version),
        Shape::Digest => {
            is_text(&|it| it.len() == 64 && it.bytes().all(|it| it.is_ascii_hexdigit()))
        }
        Shape::Count => value.as_u64().is_some_and(|it| it > 0),
        Shape::OneOf(words) => is_text(&|it| words.contains(&it)),
        Shape::Object => value.is_object(),
        Shape::List(_) | Shape::NonEmptyList(_) => value.is_array(),
        Shape::Record(_) | Shape::OpenRecord(_) => value.is_object(),
    }
}

/// A shape in words, behind `it is not`.
pub(crate) fn described(shape: &Shape) -> String {
    match shape {
        Shape::Flag => "`true` or `false`",
        Shape::Words => "a text with at least one character",
        Shape::WordsOrList => "a text with at least one character, or a list of such texts",
        Shape::Id => "an id: a letter or digit, then letters, digits and `._:-`",
        Shape::FormatVersion => "a version of the format that is read here: \"1.1\"",
        Shape::SemanticVersion => "a version such as \"1.0.0\"",
        Shape::Digest => "a SHA-256 in 64 hexadecimal digits",
        Shape::Count => "a whole number from 1 on",
        Shape::OneOf(words) => return format!("one of `{}`", words.join("`, `")),
        Shape::Text => "a text",
        Shape::List(_) | Shape::NonEmptyList(_) => "a list",
        Shape::Object | Shape::Record(_) | Shape::OpenRecord(_) => "an object",
    }
    .to_owned()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

fn is_format_version(text: &str) -> bool {
    let release = text.strip_prefix("1.1");
    release.is_some_and(|it| it.is_empty() || it.strip_prefix('.').is_some_and(is_number))
}

fn is_semantic_version(text: &str) -> bool {
    let is_suffix = |it: &str| {
        !it.is_empty()
            && it
                .chars()
                .all(|it| it.is_ascii_alphanumeric() || ".-".contains(it))
    };
    let (text, build) = text
        .split_once('+')
        .map_or((text, None), |(text, it)| (text, Some(it)));
    let (numbers, pre) = text
        .split_once('-')
        .map_or((text, None), |(text, it)| (text, Some(it)));
    let numbers: Vec<&str> = numbers.split('.').collect();
    numbers.len() == 3
        && numbers.into_iter().all(is_number)
        && build.is_none_or(is_suffix)
        && pre.is_none_or(is_suffix)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_have_their_forms() {
        for (shape, good, bad) in [
            (Shape::FormatVersion, ["1.1", "1.1.12"], ["1.1.", "1.10"]),
            (
                Shape::SemanticVersion,
                ["1.0.0", "1.0.0-rc.1+b-2"],
                ["1.0", "1.0.0-"],
            ),
            (
                Shape::SemanticVersion,
                ["0.0.1+x", "10.20.30"],
                ["1.0.0+", "1.0.0.0"],
            ),
            (Shape::Id, ["a", "1._:-"], ["", "-a"]),
            (Shape::Words, ["x", " "], ["", ""]),
        ] {
            for text in good {
                assert!(fits(&json!(text), &shape), "{shape:?} {text}");
            }
            for text in bad {
                assert!(!fits(&json!(text), &shape), "{shape:?} {text}");
            }
        }
        assert!(!fits(&json!(0), &Shape::Count) && !fits(&json!(1.5), &Shape::Count));
    }
}
