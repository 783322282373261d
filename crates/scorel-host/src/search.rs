//! Searches of clients, a few at a time.

use std::sync::Arc;

use scorel_home::Home;
use scorel_proto::{SearchMode, SearchParams, SearchResult};
use scorel_search::{ScannedSession, SearchFilter, SearchIndex};
use scorel_session::{ListFilter, SessionError, Sessions};
use tokio::sync::Semaphore;

use crate::blocking::blocking;
use crate::call_error::CallError;

/// How many searches run at once. They read files and compute, and turns come first.
const AT_ONCE: usize = 2;

/// The search in the sessions of a home.
#[derive(Debug)]
pub(crate) struct HostSearch {
    index: Arc<SearchIndex>,
    slots: Semaphore,
}

impl HostSearch {
    pub(crate) fn new(home: &Home) -> Self {
        Self {
            index: Arc::new(SearchIndex::new(home.search(), home.sessions())),
            slots: Semaphore::new(AT_ONCE),
        }
    }

    /// The index. It has to be told of new records.
    pub(crate) const fn index(&self) -> &Arc<SearchIndex> {
        &self.index
    }

    /// Searches. `limit` is that of the parameters, checked.
    pub(crate) async fn run(
        &self,
        sessions: &Arc<Sessions>,
        params: SearchParams,
        limit: usize,
    ) -> Result<SearchResult, CallError> {
        let scanned = match params.mode {
            SearchMode::Words => Vec::new(),
            SearchMode::Regex => scanned(sessions, &params).await?,
        };
        let closed = |_| CallError::Internal("the search is closed".to_owned());
        let _slot = self.slots.acquire().await.map_err(closed)?;
        let index = Arc::clone(&self.index);
        let search = move || search(&index, &params, limit, scanned);
        blocking(search).await?
    }
}

fn search(
    index: &SearchIndex,
    params: &SearchParams,
    limit: usize,
    scanned: Vec<ScannedSession>,
) -> Result<SearchResult, CallError> {
    let filter = SearchFilter {
        project_id: params.project_id,
        archived: params.archived.unwrap_or(false),
        role: params.role,
        since: params.since.unwrap_or(0),
        limit,
        cursor: params.cursor.clone(),
    };
    let (page, behind_bytes) = match params.mode {
        SearchMode::Words => {
            // Before the query as well: records indexed in between are not among its hits. And after it:
            // the query itself may find the index damaged.
            let before = index.behind_bytes();
            let page = index.words(&params.query, &filter)?;
            (page, before.max(index.behind_bytes()))
        }
        SearchMode::Regex => (index.regex(&params.query, &filter, scanned)?, 0),
    };
    Ok(SearchResult {
        hits: page.hits,
        behind_bytes,
        next_cursor: page.next_cursor,
    })
}

/// The sessions whose logs a regular expression is looked for in.
async fn scanned(
    sessions: &Arc<Sessions>,
    params: &SearchParams,
) -> Result<Vec<ScannedSession>, SessionError> {
    let filter = ListFilter {
        project_id: params.project_id,
        archived: params.archived.unwrap_or(false),
        limit: usize::MAX,
        ..ListFilter::default()
    };
    let since = params.since.unwrap_or(0);
    let listed = sessions.list(filter).await?.sessions.into_iter();
    let recent = listed.filter(|session| session.updated_at >= since);
    let scanned = recent.map(|session| ScannedSession {
        session_id: session.session_id,
        project_id: session.project_id,
        title: session.title,
    });
    Ok(scanned.collect())
}
