//! The lists that sources give at the start of a turn.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use scorel_outside_tool::{ListedTool, OutsideSource};
use tokio::time::timeout;

/// The time that all sources together may take at the start of a turn.
const LIMIT: Duration = Duration::from_secs(5);

/// The list of a source.
#[derive(Debug)]
pub(crate) enum Listing {
    Tools(Vec<Arc<ListedTool>>),
    Late,
    /// There is none, and why.
    Missing(String),
}

/// Asks all sources at once.
pub(crate) async fn list(sources: &[Arc<dyn OutsideSource>]) -> Vec<Listing> {
    let listings = sources.iter().map(|source| async {
        match timeout(LIMIT, source.list()).await {
            Ok(Ok(tools)) => Listing::Tools(tools),
            Ok(Err(reason)) => Listing::Missing(reason),
            Err(_) => Listing::Late,
        }
    });
    join_all(listings).await
}
