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
    pub(crate) const fn new(path: PathBuf, text: String) -> Self {
        Self { path, text }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn error(
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
