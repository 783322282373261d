use std::time::Duration;

use scorel_process::{CallLimit, ServiceError, ServiceLink};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::era::Era;
use crate::params::params;

/// The time for a page.
const PAGE: Duration = Duration::from_secs(30);

/// Pages of a list: a cursor may lead in a circle.
const MAX_PAGES: usize = 100;

/// Entries of a list.
const MAX_ENTRIES: usize = 1000;

/// A list of a server, all pages of it within bounds.
#[derive(Debug, Default)]
pub struct PagedList {
    pub entries: Vec<Value>,
    /// Milliseconds for which the list holds.
    pub(crate) ttl_ms: Option<u64>,
    /// There are more entries than are read.
    pub is_cut: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    next_cursor: Option<String>,
    ttl_ms: Option<u64>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl PagedList {
    /// Asks for all pages of a list. `key` has the entries of a page.
    pub(crate) async fn read(
        link: &ServiceLink,
        era: Era,
        method: &str,
        key: &str,
    ) -> Result<Self, ServiceError> {
        let (mut list, mut cursor) = (Self::default(), None::<String>);
        for _ in 0..MAX_PAGES {
            let asked = match &cursor {
                Some(cursor) => json!({ "cursor": cursor }),
                None => json!({}),
            };
            let asked = params(era, asked, None);
            let answer = link.call(method, &asked, &CallLimit::of(PAGE)).await?;
            let misread = |error| link.misanswered(method, &error);
            let mut page: Page = serde_json::from_str(answer.get()).map_err(misread)?;
            let entries = page.rest.remove(key).unwrap_or_default();
            list.entries
                .extend(serde_json::from_value::<Vec<Value>>(entries).map_err(misread)?);
            list.ttl_ms = page.ttl_ms.or(list.ttl_ms);
            cursor = page.next_cursor;
            if list.entries.len() > MAX_ENTRIES {
                break;
            }
            if cursor.is_none() {
                return Ok(list);
            }
        }
        list.entries.truncate(MAX_ENTRIES);
        list.is_cut = true;
        Ok(list)
    }
}
