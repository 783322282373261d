use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{ConfigError, Position};

/// A document's path and text, for errors with a position.
#[derive(Debug, Clone)]
pub(super) struct DocumentOrigin {
    path: PathBuf,
    text: String,
}

impl DocumentOrigin {
    pub(super) const fn new(path: PathBuf, text: String) -> Self {
        Self { path, text }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn error(
        &self,
        span: Option<Range<usize>>,
        key: Option<String>,
        reason: impl Into<String>,
        suggestion: Option<String>,
    ) -> ConfigError {
        ConfigError::Content {
            path: self.path.clone(),
            position: span.map(|span| Position::of(&self.text, span.start)),
            key,
            reason: reason.into(),
            suggestion,
        }
    }
}
