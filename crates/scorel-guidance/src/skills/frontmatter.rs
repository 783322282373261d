//! The YAML at the head of a Markdown file.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle};

/// The fence above and below the YAML.
const FENCE: &str = "---";

/// The fields at the head of a Markdown file, and the text after them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frontmatter<'a> {
    fields: BTreeMap<String, FieldValue>,
    pub body: &'a str,
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
pub(crate) enum FrontmatterError {
    #[error("it does not begin with a line `---`")]
    Missing,
    #[error("no line `---` ends its head")]
    Unterminated,
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
    pub(super) fn parse(text: &'a str) -> Result<Self, FrontmatterError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (yaml, body) = split(text)?;
        let fields = fields(yaml)?;
        Ok(Self { fields, body })
    }

    /// A text; `None` if the field is absent.
    pub(super) fn text(&self, field: &'static str) -> Result<Option<&str>, FrontmatterError> {
        match self.fields.get(field) {
            None => Ok(None),
            Some(FieldValue::Plain(text) | FieldValue::Quoted(text)) => Ok(Some(text)),
            Some(FieldValue::Nested) => Err(FrontmatterError::Field {
                field,
                problem: "not a text",
            }),
        }
    }

    /// A truth value; `false` if the field is absent.
    pub(crate) fn flag(&self, field: &'static str) -> Result<bool, FrontmatterError> {
        match self.fields.get(field) {
            None => Ok(false),
            Some(FieldValue::Plain(text)) if text == "true" => Ok(true),
            Some(FieldValue::Plain(text)) if text == "false" => Ok(false),
            Some(_) => Err(FrontmatterError::Field {
                field,
                problem: "neither true nor false",
            }),
        }
    }
}

/// The YAML between the fences, and what follows.
fn split(text: &str) -> Result<(&str, &str), FrontmatterError> {
    let is_fence = |line: &str| line.trim_end() == FENCE;
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().filter(|line| is_fence(line));
    let start = first.ok_or(FrontmatterError::Missing)?.len();
    let mut end = start;
    for line in lines {
        if is_fence(line) {
            return Ok((&text[start..end], &text[end + line.len()..]));
        }
        end += line.len();
    }
    Err(FrontmatterError::Unterminated)
}

fn fields(yaml: &str) -> Result<BTreeMap<String, FieldValue>, FrontmatterError> {
    let mut found = BTreeMap::new();
    let mut depth = 0_usize;
    let mut key: Option<String> = None;
    for event in Parser::new_from_str(yaml) {
        let (event, span) = event.map_err(|error| {
            let marker = error.marker();
            yaml_error(marker.line(), marker.col(), error.info())
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
        assert_eq!(found.flag("hidden"), Ok(true));
        assert_eq!(found.flag("missing"), Ok(false));
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
            ("---\nname: 'x\n---\n", "line "),
        ] {
            let error = Frontmatter::parse(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
    }
}
