use std::ops::Range;
use std::path::Path;

use scorel_extension::nearest;
use scorel_fs::text_of;
use serde::Deserialize;
use toml::de::{DeTable, DeValue};

use super::ConfigError;
use super::origin::DocumentOrigin;
use super::schema::Document;

/// Parses one file.
pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<(Document, DocumentOrigin), ConfigError> {
    let origin = origin_of(path, bytes)?;
    let document = read(&origin)?;
    Ok((document, origin))
}

/// The text of a file, if it is one.
pub(super) fn origin_of(path: &Path, bytes: &[u8]) -> Result<DocumentOrigin, ConfigError> {
    let origin = DocumentOrigin::new(path.to_owned(), text_of(bytes).into_owned());
    // Checked first: the TOML parser would complain about the replacement character instead.
    let is_utf16 = matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    if let Err(error) = std::str::from_utf8(bytes)
        && !is_utf16
    {
        let offset = error.valid_up_to();
        return Err(origin.error(Some(offset..offset), None, "not UTF-8 text", None));
    }
    Ok(origin)
}

/// Parses the text.
pub(crate) fn read(origin: &DocumentOrigin) -> Result<Document, ConfigError> {
    let deserializer = toml::Deserializer::parse(origin.text())
        .map_err(|error| origin.error(error.span(), None, in_words(error.message()), None))?;
    Document::deserialize(deserializer).map_err(|error| {
        let key = error.span().and_then(|span| key_at(origin.text(), &span));
        let key = key.unwrap_or_default();
        content_error(origin, &key, error.message(), error.span())
    })
}

/// Rewords serde's message for the author of the file, and suggests the nearest name.
fn content_error(
    origin: &DocumentOrigin,
    key: &str,
    message: &str,
    span: Option<Range<usize>>,
) -> ConfigError {
    let names = quoted(message);
    let (written, known) = names.split_first().unwrap_or((&"", &[]));
    let (reason, suggestion) = if message.starts_with("unknown field") {
        let reason = match key.rsplit_once('.') {
            Some(_) => format!("unknown key `{key}`"),
            None => format!("unknown section or key `{key}`"),
        };
        suggested(reason, written, known)
    } else if message.starts_with("unknown variant") {
        suggested(format!("`{key}` cannot be `{written}`"), written, known)
    } else {
        (format!("`{key}`: {}", in_words(message)), None)
    };
    origin.error(
        span,
        (!key.is_empty()).then(|| key.to_owned()),
        reason,
        suggestion,
    )
}

fn suggested(reason: String, written: &str, known: &[&str]) -> (String, Option<String>) {
    match nearest(written, known.iter().copied()) {
        Some(name) => (reason, Some(name.to_owned())),
        None => (format!("{reason}; known are {}", known.join(", ")), None),
    }
}

/// The names between backticks.
fn quoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

/// The first line, with numbers named as people do and not by their types.
fn in_words(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let words = match line.rsplit_once("expected ") {
        Some((start, "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize")) => {
            Some((start, "a whole number"))
        }
        Some((start, "f32" | "f64")) => Some((start, "a number")),
        _ => None,
    };
    words.map_or_else(
        || line.to_owned(),
        |(start, kind)| format!("{start}expected {kind}"),
    )
}

/// The dotted key whose name or value has this span.
///
/// Looked up after a failure. A deserializer that tracks its path, such as `serde_path_to_error`, makes
/// the compiler build every section's code once more, and that was a sixth of this crate.
fn key_at(text: &str, span: &Range<usize>) -> Option<String> {
    let document = DeTable::parse(text).ok()?;
    let mut names = Vec::new();
    in_table(document.get_ref(), span, &mut names).then(|| names.join("."))
}

/// Searches the members first: the parts of a header `[a.b]` can share one span, and the last one is
/// meant.
fn in_table<'a>(table: &'a DeTable<'_>, span: &Range<usize>, names: &mut Vec<&'a str>) -> bool {
    table.iter().any(|(key, value)| {
        names.push(key.get_ref());
        let found =
            in_value(value.get_ref(), span, names) || key.span() == *span || value.span() == *span;
        if !found {
            names.pop();
        }
        found
    })
}

fn in_value<'a>(value: &'a DeValue<'_>, span: &Range<usize>, names: &mut Vec<&'a str>) -> bool {
    match value {
        DeValue::Table(table) => in_table(table, span, names),
        DeValue::Array(elements) => elements
            .iter()
            .any(|element| element.span() == *span || in_value(element.get_ref(), span, names)),
        _ => false,
    }
}
