//! `nextCursor` as text: `words.ID`, or `regex.SESSION.OFFSET`.

use std::fmt;
use std::str::FromStr;

use scorel_proto::SessionId;

use crate::SearchError;

/// Before the record with this id in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WordCursor(pub(crate) i64);

/// Before this offset of a session's log, in bytes, then in older sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScanCursor {
    pub(crate) session_id: SessionId,
    pub(crate) end: u64,
}

impl fmt::Display for WordCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "words.{}", self.0)
    }
}

impl FromStr for WordCursor {
    type Err = SearchError;

    fn from_str(text: &str) -> Result<Self, SearchError> {
        let id = text.strip_prefix("words.").and_then(|id| id.parse().ok());
        id.map(Self).ok_or(SearchError::InvalidCursor)
    }
}

impl fmt::Display for ScanCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "regex.{}.{}", self.session_id, self.end)
    }
}

impl FromStr for ScanCursor {
    type Err = SearchError;

    fn from_str(text: &str) -> Result<Self, SearchError> {
        let parse = || {
            let (session, end) = text.strip_prefix("regex.")?.split_once('.')?;
            Some(Self {
                session_id: session.parse().ok()?,
                end: end.parse().ok()?,
            })
        };
        parse().ok_or(SearchError::InvalidCursor)
    }
}
