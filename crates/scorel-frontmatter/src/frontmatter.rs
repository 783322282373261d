//! The YAML at the head of a Markdown file.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::fence::{BYTE_ORDER_MARK, FenceError, Fenced};

/// The fields at the head of a Markdown file, and the text after them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frontmatter<'a> {
    fields: BTreeMap<String, FieldValue>,
    pub body: &'a str,
    /// Why the head is no YAML, although its lines could be read: other programs write `description: Use this: …`.
    pub warning: Option<FrontmatterError>,
}

/// The value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
enum FieldValue {
    Plain(String),
    Quoted(String),
    /// A list or a mapping, which this reader skips.
    Nested,
}

/// The reason why a file has no frontmatter that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrontmatterError {
    #[error("it does not begin with a line `---`")]
    Missing,
    #[error("no line `---` ends its head")]
    Unterminated,
    /// It is no YAML.
    #[error("line {line}, column {column}: {reason}")]
    Syntax {
        line: usize,
        column: usize,
        reason: String,
    },
    /// It is YAML, but not of the kind that is read.
    #[error("line {line}, column {column}: {reason}")]
    Yaml {
        line: usize,
        column: usize,
        reason: String,
    },
    #[error("`{field}` is {problem}")]
    Field {
        field: &'static str,
        problem: &'static str,
    },
}

impl<'a> Frontmatter<'a> {
    /// Reads the head of a file. Aliases are refused: a few of them can stand for gigabytes.
    ///
    /// # Errors
    /// If there is no head, or nothing of it can be read.
    pub fn parse(text: &'a str) -> Result<Self, FrontmatterError> {
        let (yaml, body) = split(text)?;
        let (fields, warning) = match fields(yaml) {
            Ok(fields) => (fields, None),
            Err(error @ FrontmatterError::Syntax { .. }) => match lines(yaml) {
                Some(fields) => (fields, Some(error)),
                None => return Err(error),
            },
            Err(error) => return Err(error),
        };
        Ok(Self {
            fields,
            body,
            warning,
        })
    }

    /// As [`Frontmatter::parse`], for a file that may have no head.
    ///
    /// # Errors
    /// If nothing of the head can be read.
    pub fn parse_optional(text: &'a str) -> Result<Self, FrontmatterError> {
        match Self::parse(text) {
            Err(FrontmatterError::Missing) => Ok(Self {
                fields: BTreeMap::new(),
                body: text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text),
                warning: None,
            }),
            parsed => parsed,
        }
    }

    /// True if the field is there, whatever its value.
    pub fn has(&self, field: &str) -> bool {
        self.fields.contains_key(field)
    }

    /// A text; `None` if the field is absent.
    ///
    /// # Errors
    /// If it is a list or has fields of its own.
    pub fn text(&self, field: &'static str) -> Result<Option<&str>, FrontmatterError> {
        match self.fields.get(field) {
            None => Ok(None),
            Some(FieldValue::Plain(text) | FieldValue::Quoted(text)) => Ok(Some(text)),
            Some(FieldValue::Nested) => Err(FrontmatterError::Field {
                field,
                problem: "not a text",
            }),
        }
    }

    /// A truth value; `None` if the field is absent.
    ///
    /// # Errors
    /// If it is something else.
    pub fn flag(&self, field: &'static str) -> Result<Option<bool>, FrontmatterError> {
        match self.fields.get(field) {
            None => Ok(None),
            Some(FieldValue::Plain(text)) if text == "true" => Ok(Some(true)),
            Some(FieldValue::Plain(text)) if text == "false" => Ok(Some(false)),
            Some(_) => Err(FrontmatterError::Field {
                field,
                problem: "neither true nor false",
            }),
        }
    }
}

/// The YAML between the fences, and what follows.
fn split(text: &str) -> Result<(&str, &str), FrontmatterError> {
    let Fenced { head, body } = Fenced::find(text).map_err(|error| match error {
        FenceError::Missing => FrontmatterError::Missing,
        FenceError::Unterminated => FrontmatterError::Unterminated,
    })?;
    Ok((&text[head], &text[body..]))
}

fn fields(yaml: &str) -> Result<BTreeMap<String, FieldValue>, FrontmatterError> {
    let mut found = BTreeMap::new();
    let mut depth = 0_usize;
    let mut key: Option<String> = None;
    for event in Parser::new_from_str(yaml) {
        let (event, span) = event.map_err(|error| {
            let marker = error.marker();
            FrontmatterError::Syntax {
                // The first line of the file is the fence.
                line: marker.line() + 1,
                column: marker.col() + 1,
                reason: error.info().to_owned(),
            }
        })?;
        let at = |reason: &str| yaml_error(span.start.line(), span.start.col(), reason);
        let value = match event {
            Event::Alias(_) => return Err(at("aliases are not read")),
            Event::MappingStart(..) if depth == 0 => {
                depth = 1;
                continue;
            }
            Event::SequenceStart(..) if depth == 0 => return Err(at("it is a list, not fields")),
            Event::Scalar(text, ..) if depth == 0 && !text.is_empty() => {
                return Err(at("it is a text, not fields"));
            }
            Event::Scalar(text, style, ..) if depth == 1 => {
                let text = text.into_owned();
                match key.is_some() || style != ScalarStyle::Plain {
                    true if style != ScalarStyle::Plain => FieldValue::Quoted(text),
                    _ => FieldValue::Plain(text),
                }
            }
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                depth += 1;
                if depth > 2 {
                    continue;
                }
                FieldValue::Nested
            }
            Event::MappingEnd | Event::SequenceEnd => {
                depth = depth.saturating_sub(1);
                continue;
            }
            _ => continue,
        };
        match (key.take(), value) {
            (Some(key), value) => {
                if found.insert(key.clone(), value).is_some() {
                    return Err(at(&format!("`{key}` is there twice")));
                }
            }
            (None, FieldValue::Plain(text) | FieldValue::Quoted(text)) => key = Some(text),
            (None, FieldValue::Nested) => return Err(at("a field's name is not a text")),
        }
    }
    Ok(found)
}

/// The fields of a head that is no YAML, a line each, as other programs read them; `None` if a line is none.
fn lines(text: &str) -> Option<BTreeMap<String, FieldValue>> {
    let mut found: BTreeMap<String, FieldValue> = BTreeMap::new();
    let mut last: Option<String> = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if line.starts_with('#') {
            continue;
        }
        if line.starts_with([' ', '\t', '-']) {
            // It belongs to the field above.
            let value = found.get_mut(last.as_ref()?)?;
            match value {
                FieldValue::Plain(text) if !text.is_empty() && !line.trim().starts_with("- ") => {
                    text.push(' ');
                    text.push_str(line.trim());
                }
                other => *other = FieldValue::Nested,
            }
            continue;
        }
        let (key, value) = line.split_once(':')?;
        if key.is_empty() || key.contains(|it: char| it.is_whitespace() || "\"'{[".contains(it)) {
            return None;
        }
        found.insert(key.to_owned(), plain_value(value.trim()));
        last = Some(key.to_owned());
    }
    Some(found)
}

fn plain_value(text: &str) -> FieldValue {
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    match quoted('"').or_else(|| quoted('\'')) {
        Some(inner) => FieldValue::Quoted(inner.to_owned()),
        None if matches!(text, ">" | "|" | ">-" | "|-") => FieldValue::Nested,
        None => FieldValue::Plain(text.to_owned()),
    }
}

/// The first line of the file is the fence.
fn yaml_error(line: usize, column: usize, reason: &str) -> FrontmatterError {
    FrontmatterError::Yaml {
        line: line + 1,
        column: column + 1,
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_texts_flags_or_skipped() {
        let text = "---\nname: pdf\ndescription: >\n  Reads\n  PDF files\nallowed-tools: [Bash]\n\
                    metadata:\n  author: {name: x}\nhidden: true\nquoted: \"true\"\n---\n# Body\n---\n";
        let found = Frontmatter::parse(text).unwrap();
        assert_eq!(found.text("name"), Ok(Some("pdf")));
        assert_eq!(found.text("description"), Ok(Some("Reads PDF files\n")));
        assert_eq!(found.text("missing"), Ok(None));
        assert_eq!(found.flag("hidden"), Ok(Some(true)));
        assert_eq!(found.flag("missing"), Ok(None));
        assert!(found.flag("quoted").is_err());
        assert!(found.text("allowed-tools").is_err());
        assert!(found.text("metadata").is_err());
        assert_eq!(found.body, "# Body\n---\n");
    }

    #[test]
    fn an_empty_head_and_other_line_ends_are_read() {
        let found = Frontmatter::parse("\u{feff}---\r\n---\r\nx").unwrap();
        assert_eq!((found.body, found.fields.len()), ("x", 0));
        let found = Frontmatter::parse("---\r\nname: a\r\n---\r\n").unwrap();
        assert_eq!(found.text("name"), Ok(Some("a")));
    }

    #[test]
    fn a_head_that_is_no_yaml_is_read_by_its_lines_with_a_warning() {
        let text = "---\nname: pdf\ndescription: Use when: the user says \"x\"\n  or more\n\
                    tools:\n  - Read\nhint: \"a\"\nhidden: true\n---\nbody";
        let found = Frontmatter::parse(text).unwrap();
        let description = "Use when: the user says \"x\" or more";
        assert_eq!(found.text("description"), Ok(Some(description)));
        assert_eq!(found.text("hint"), Ok(Some("a")));
        assert_eq!(found.flag("hidden"), Ok(Some(true)));
        assert!(found.text("tools").is_err());
        let warning = found.warning.unwrap().to_string();
        assert!(warning.starts_with("line 3, column "), "{warning}");
        assert_eq!(
            Frontmatter::parse("---\nname: a\n---\n").unwrap().warning,
            None
        );
    }

    #[test]
    fn a_file_may_have_no_head() {
        let found = Frontmatter::parse_optional("# Title\n").unwrap();
        assert_eq!((found.body, found.has("name")), ("# Title\n", false));
        assert!(Frontmatter::parse_optional("---\nname: a\n").is_err());
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_place() {
        for (text, expected) in [
            ("# Title\n", "it does not begin with a line `---`"),
            ("---\nname: a\n", "no line `---` ends its head"),
            ("---\n- a\n---\n", "line 2, column 1: it is a list"),
            ("---\njust words\n---\n", "line 2, column 1: it is a text"),
            ("---\na: &x 1\nb: *x\n---\n", "aliases are not read"),
            (
                "---\na: 1\na: 2\n---\n",
                "line 3, column 4: `a` is there twice",
            ),
            ("---\nname: 'x\n  y\nz z: 1\n---\n", "line "),
            ("---\na: b: c\njust words\n---\n", "line 2, column "),
        ] {
            let error = Frontmatter::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }
}
