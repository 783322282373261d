use std::ops::Range;
use std::path::Path;

use serde_path_to_error::Segment;

use super::ConfigError;
use super::origin::Origin;
use super::schema::Document;

/// How alike two names must be for one to be suggested for the other, from 0 to 1.
const SIMILAR: f64 = 0.8;

/// Reads one file's content.
pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<(Document, Origin), ConfigError> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
    let origin = Origin::new(path.to_owned(), text);
    // Looked for before TOML is, whose own message would be about the character's meaning.
    if let Err(error) = std::str::from_utf8(bytes) {
        let offset = error.valid_up_to();
        return Err(origin.error(Some(offset..offset), None, "not UTF-8 text", None));
    }
    let document = read(&origin)?;
    Ok((document, origin))
}

fn read(origin: &Origin) -> Result<Document, ConfigError> {
    let deserializer = toml::Deserializer::parse(origin.text())
        .map_err(|error| origin.error(error.span(), None, first_line(error.message()), None))?;
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let key = key(error.path());
        content_error(origin, &key, error.inner().message(), error.inner().span())
    })
}

/// Puts what serde says into the words of a person who wrote a file.
fn content_error(
    origin: &Origin,
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
        (format!("`{key}`: {}", first_line(message)), None)
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

/// The name that was probably meant.
pub(super) fn nearest<'a>(written: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let written = written.to_lowercase().replace(['_', '-'], "");
    let alike =
        |name: &str| strsim::jaro_winkler(&written, &name.to_lowercase().replace(['_', '-'], ""));
    let rated = known
        .map(|name| (alike(name), name))
        .filter(|(rate, _)| *rate > SIMILAR);
    rated
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}

/// The names between backticks.
fn quoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

/// The path without what belongs to the parser.
fn key(path: &serde_path_to_error::Path) -> String {
    let names = path.iter().filter_map(|segment| match segment {
        Segment::Map { key } if !key.starts_with('$') => Some(key.as_str()),
        _ => None,
    });
    names.collect::<Vec<_>>().join(".")
}
