use std::collections::BTreeMap;
use std::ops::Range;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span};
use serde_json::{Map, Value};

use super::entry::{Entry, EntryValue};
use super::error::{DocumentError, DocumentProblem};
use super::limits::MAX_DEPTH;
use super::place::Place;
use super::scalar::plain_value;

/// The values of a head, and where they stand.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    pub(super) values: Map<String, Value>,
    /// By JSON pointer.
    pub(super) places: BTreeMap<String, Place>,
    pub(super) entries: Vec<Entry>,
    /// True if the head is one mapping within braces.
    pub(super) is_flow: bool,
}

/// The events so far.
struct Builder<'a> {
    head: &'a str,
    /// The first byte of each character, and the end.
    bytes: Vec<usize>,
    open: Vec<Open>,
    documents: usize,
    tree: Tree,
}

/// A list or mapping that has not ended.
struct Open {
    pointer: String,
    start: Marker,
    content: Content,
}

enum Content {
    Map {
        values: Map<String, Value>,
        key: Option<(String, Range<usize>)>,
    },
    List(Vec<Value>),
}

/// A value that has ended.
struct Ended {
    value: Value,
    start: Marker,
    written: EntryValue,
}

impl Tree {
    pub(super) fn parse(head: &str) -> Result<Self, DocumentError> {
        check_characters(head)?;
        let ends = head.char_indices().map(|(at, _)| at);
        let mut builder = Builder {
            head,
            bytes: ends.chain([head.len()]).collect(),
            open: Vec::new(),
            documents: 0,
            tree: Self::default(),
        };
        for event in Parser::new_from_str(head) {
            let (event, span) = event.map_err(|error| {
                let problem = DocumentProblem::Syntax(error.info().to_owned());
                problem.at(place(*error.marker()))
            })?;
            let take = builder.take(event, span);
            take.map_err(|problem| problem.at(place(span.start)))?;
        }
        Ok(builder.tree)
    }
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), DocumentProblem> {
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) => {
                self.documents += 1;
                match self.documents {
                    1 => Ok(()),
                    _ => Err(DocumentProblem::SecondDocument),
                }
            }
            Event::Alias(_) => Err(DocumentProblem::Alias),
            Event::Scalar(text, style, anchor, tag) => {
                refuse(anchor, tag.is_some())?;
                self.scalar(&text, style, span)
            }
            Event::MappingStart(anchor, tag) => {
                refuse(anchor, tag.is_some())?;
                let (values, key) = (Map::new(), None);
                self.begin(Content::Map { values, key }, span)
            }
            Event::SequenceStart(anchor, tag) => {
                refuse(anchor, tag.is_some())?;
                self.begin(Content::List(Vec::new()), span)
            }
            Event::MappingEnd | Event::SequenceEnd => self.end(span),
        }
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        span: Span,
    ) -> Result<(), DocumentProblem> {
        let is_plain = style == ScalarStyle::Plain;
        let range = self.written(span, style);
        match self.open.last_mut().map(|open| &mut open.content) {
            // A head without fields.
            None if is_plain && text.is_empty() => return Ok(()),
            None => return Err(DocumentProblem::NotFields),
            Some(Content::Map {
                values,
                key: key @ None,
            }) => {
                if is_plain && text.is_empty() {
                    return Err(DocumentProblem::KeyNotText);
                }
                if values.contains_key(text) {
                    return Err(DocumentProblem::DuplicateKey(text.to_owned()));
                }
                *key = Some((text.to_owned(), range));
                return Ok(());
            }
            Some(_) => {}
        }
        let written = match style {
            ScalarStyle::Literal | ScalarStyle::Folded => EntryValue::BlockText,
            _ if range.is_empty() => EntryValue::Absent,
            _ => EntryValue::Inline(range),
        };
        let value = match is_plain {
            true => plain_value(text).ok_or_else(|| DocumentProblem::NotJson(text.to_owned()))?,
            false => Value::String(text.to_owned()),
        };
        let start = span.start;
        self.add(Ended {
            value,
            start,
            written,
        });
        Ok(())
    }

    fn begin(&mut self, content: Content, span: Span) -> Result<(), DocumentProblem> {
        let pointer = match self.open.last() {
            None if matches!(content, Content::List(_)) => return Err(DocumentProblem::NotFields),
            None => {
                self.tree.is_flow = self.is_flow(span.start);
                String::new()
            }
            Some(parent) => parent.next_pointer().ok_or(DocumentProblem::KeyNotText)?,
        };
        if self.open.len() == MAX_DEPTH {
            return Err(DocumentProblem::TooDeep);
        }
        let start = span.start;
        self.open.push(Open {
            pointer,
            start,
            content,
        });
        Ok(())
    }

    fn end(&mut self, span: Span) -> Result<(), DocumentProblem> {
        let Some(Open { start, content, .. }) = self.open.pop() else {
            return Err(DocumentProblem::NotFields);
        };
        let value = match content {
            Content::Map { values, .. } if self.open.is_empty() => {
                self.tree.values = values;
                self.tree.places.insert(String::new(), place(start));
                return Ok(());
            }
            Content::Map { values, .. } => Value::Object(values),
            Content::List(values) => Value::Array(values),
        };
        let written = match self.is_flow(start) {
            // The span of a bracket goes on to the next token.
            true => EntryValue::Inline(self.byte(start)..self.byte(span.start) + 1),
            false => EntryValue::Block,
        };
        self.add(Ended {
            value,
            start,
            written,
        });
        Ok(())
    }

    fn add(&mut self, ended: Ended) {
        let is_field = self.open.len() == 1;
        let Some(parent) = self.open.last_mut() else {
            return;
        };
        if let Some(pointer) = parent.next_pointer() {
            self.tree.places.insert(pointer, place(ended.start));
        }
        match &mut parent.content {
            Content::List(values) => values.push(ended.value),
            Content::Map { values, key } => {
                let Some((key, written)) = key.take() else {
                    return;
                };
                values.insert(key.clone(), ended.value);
                if is_field {
                    let value = ended.written;
                    self.tree.entries.push(Entry {
                        key,
                        written,
                        value,
                    });
                }
            }
        }
    }

    /// A scalar as it is written. The span of a quoted one goes on to the next token.
    fn written(&self, span: Span, style: ScalarStyle) -> Range<usize> {
        let start = self.byte(span.start);
        let text = &self.head[start..];
        let end = match style {
            ScalarStyle::SingleQuoted => start + quoted(text, '\''),
            ScalarStyle::DoubleQuoted => start + quoted(text, '"'),
            ScalarStyle::Plain | ScalarStyle::Literal | ScalarStyle::Folded => self.byte(span.end),
        };
        start..end
    }

    fn is_flow(&self, start: Marker) -> bool {
        self.head[self.byte(start)..].starts_with(['[', '{'])
    }

    fn byte(&self, marker: Marker) -> usize {
        let byte = self.bytes.get(marker.index());
        byte.copied().unwrap_or(self.head.len())
    }
}

impl Open {
    /// The pointer of the value that comes next; `None` if a key does.
    fn next_pointer(&self) -> Option<String> {
        let part = match &self.content {
            Content::List(values) => values.len().to_string(),
            Content::Map { key, .. } => key.as_ref()?.0.replace('~', "~0").replace('/', "~1"),
        };
        Some(format!("{}/{part}", self.pointer))
    }
}

/// The bytes of a quoted scalar, with its quotes.
fn quoted(text: &str, quote: char) -> usize {
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, char)) = chars.next() {
        let escapes = match quote {
            '"' => char == '\\',
            // Two are one that is meant.
            _ => char == quote && chars.peek().is_some_and(|(_, next)| *next == quote),
        };
        match escapes {
            true => drop(chars.next()),
            false if char == quote => return at + 1,
            false => {}
        }
    }
    text.len()
}

fn refuse(anchor: usize, has_tag: bool) -> Result<(), DocumentProblem> {
    match (anchor, has_tag) {
        (0, false) => Ok(()),
        (0, true) => Err(DocumentProblem::Tag),
        _ => Err(DocumentProblem::Anchor),
    }
}

/// The parser takes a NUL for the end, and a carriage return alone for the end of a line, which other readers do not.
fn check_characters(head: &str) -> Result<(), DocumentError> {
    for (number, line) in head.split('\n').enumerate() {
        let text = line.strip_suffix('\r').unwrap_or(line);
        if let Some(column) = text.chars().position(|it| it.is_control() && it != '\t') {
            let place = Place {
                line: number + 2,
                column: column + 1,
            };
            return Err(DocumentProblem::ControlCharacter.at(place));
        }
    }
    Ok(())
}

/// The first line of the file is the fence.
fn place(marker: Marker) -> Place {
    Place {
        line: marker.line() + 1,
        column: marker.col() + 1,
    }
}
