use std::ops::Range;

use scorel_proto::{ProjectId, SearchHit, Seq, SessionId};

use crate::document::Document;
use crate::snippet::Snippet;

/// The hits of one call.
#[derive(Debug, Default)]
pub struct SearchPage {
    pub hits: Vec<SearchHit>,
    /// Where the next page begins; `None` if there is none.
    pub next_cursor: Option<String>,
}

/// A session whose log is searched, as hits show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchedSession {
    pub session_id: SessionId,
    pub project_id: ProjectId,
    pub title: Option<String>,
}

impl SearchedSession {
    /// `matches` are in the document's text, in order.
    pub(crate) fn hit(&self, seq: Seq, document: &Document, matches: &[Range<usize>]) -> SearchHit {
        let snippet = Snippet::of(&document.text, matches);
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let ranges = snippet.ranges.iter();
        SearchHit {
            session_id: self.session_id,
            title: self.title.clone(),
            project_id: self.project_id,
            seq,
            event_id: document.event_id,
            role: document.role,
            ts: document.ts,
            ranges: ranges
                .map(|range| [place(range.start), place(range.end)])
                .collect(),
            snippet: snippet.text,
        }
    }
}
