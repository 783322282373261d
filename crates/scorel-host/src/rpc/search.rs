//! `search`.

use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_proto::{SearchMode, SearchParams, SearchResult};
use scorel_search::{SearchFilter, SearchIndex, SearchedSession};
use scorel_session::{ListFilter, SessionError, Sessions};

use super::sessions::limit;
use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

pub(super) async fn search(host: Arc<Host>, params: SearchParams) -> Reply<SearchResult> {
    host.named_dir(params.project_id)?;
    let limit = limit(params.limit, 50, 200)?;
    let scanned = match params.mode {
        SearchMode::Words => Vec::new(),
        SearchMode::Regex => scanned(&host.sessions, &params).await?,
    };
    let closed = |_| CallError::Internal("the search is closed".to_owned());
    let _place = host.searching.acquire().await.map_err(closed)?;
    let index = Arc::clone(&host.search);
    spawn_blocking(move || run(&index, &params, limit, scanned)).await?
}

fn run(
    index: &SearchIndex,
    params: &SearchParams,
    limit: usize,
    scanned: Vec<SearchedSession>,
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
) -> Result<Vec<SearchedSession>, SessionError> {
    let filter = ListFilter {
        project_id: params.project_id,
        archived: params.archived.unwrap_or(false),
        limit: usize::MAX,
        ..ListFilter::default()
    };
    let since = params.since.unwrap_or(0);
    let listed = sessions.list(filter).await?.sessions.into_iter();
    let recent = listed.filter(|session| session.updated_at >= since);
    let scanned = recent.map(|session| SearchedSession {
        session_id: session.session_id,
        project_id: session.project_id,
        title: session.title,
    });
    Ok(scanned.collect())
}
