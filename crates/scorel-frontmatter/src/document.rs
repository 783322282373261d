//! Documents whose head is data: read strictly, and changed a value at a time.

mod edit;
mod entry;
mod error;
mod limits;
mod place;
mod scalar;
mod tree;

use serde_json::{Map, Value};

use crate::fence::{FenceError, Fenced};
use edit::Edited;
use tree::Tree;

pub use error::{DocumentError, DocumentProblem, EditError};
pub use limits::{MAX_DEPTH, MAX_HEAD_BYTES};
pub use place::Place;

/// A text whose head is YAML with the values of JSON: no anchors, aliases, tags or keys that are there twice.
#[derive(Debug, Clone)]
pub struct Document {
    text: String,
    fenced: Fenced,
    tree: Tree,
}

impl Document {
    /// Reads a text.
    ///
    /// # Errors
    /// It has no head, or its head is something else.
    pub fn parse(text: impl Into<String>) -> Result<Self, DocumentError> {
        let text = text.into();
        let fenced = Fenced::find(&text).map_err(|error| {
            DocumentProblem::at_start(match error {
                FenceError::Missing => DocumentProblem::Missing,
                FenceError::Unterminated => DocumentProblem::Unterminated,
            })
        })?;
        if fenced.head.len() > MAX_HEAD_BYTES {
            return Err(DocumentProblem::at_start(DocumentProblem::TooLarge));
        }
        let tree = Tree::parse(&text[fenced.head.clone()])?;
        Ok(Self { text, fenced, tree })
    }

    /// The whole text, as it was given or edited.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text after the head.
    pub fn body(&self) -> &str {
        &self.text[self.fenced.body..]
    }

    /// The values of the head, in their order.
    pub fn values(&self) -> &Map<String, Value> {
        &self.tree.values
    }

    /// The place of the value at a JSON pointer.
    pub fn place(&self, pointer: &str) -> Option<Place> {
        self.tree.places.get(pointer).copied()
    }

    /// This document with one value changed or added. It is written as `key: JSON`, a list that is not empty as a
    /// block of JSON items. All other bytes stay; so do those of a block list that only grows.
    ///
    /// # Errors
    /// The head is written within braces, or could not be read with this value.
    pub fn set(&self, key: &str, value: &Value) -> Result<Self, EditError> {
        if self.tree.values.get(key) == Some(value) {
            return Ok(self.clone());
        }
        if self.tree.is_flow {
            return Err(EditError::Braces);
        }
        let head = &self.text[self.fenced.head.clone()];
        let Edited { range, text } = match self.tree.entries.iter().find(|it| it.key == key) {
            Some(entry) => Edited::change(head, entry, &self.tree.values[key], value),
            None => Edited::add(head, &self.text, &self.tree.entries, key, value),
        };
        let mut edited = self.text.clone();
        let start = self.fenced.head.start;
        edited.replace_range(start + range.start..start + range.end, &text);
        let edited = Self::parse(edited)?;
        let mut expected = self.tree.values.clone();
        expected.insert(key.to_owned(), value.clone());
        match edited.tree.values == expected && edited.body() == self.body() {
            true => Ok(edited),
            false => Err(EditError::Unwritable(key.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests;
