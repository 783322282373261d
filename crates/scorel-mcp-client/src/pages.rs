use std::collections::HashMap;
use std::time::Duration;

use scorel_process::{CallLimit, ServiceError, ServiceLink, read_part};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

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
    /// Sentences about entries that break a limit, each with its name. They are left out.
    pub(crate) problems: Vec<String>,
    /// Milliseconds for which the list holds.
    pub(crate) ttl_ms: Option<u64>,
    /// There are more entries than are read.
    pub is_cut: bool,
}

/// A page, the values of which are still text.
type Page<'a> = HashMap<String, &'a RawValue>;

#[derive(Deserialize)]
struct Named {
    name: String,
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
            let answer = link
                .call_for_parts(method, &asked, &CallLimit::of(PAGE))
                .await?;
            let misread = |error| link.misanswered(method, &error);
            let page: Page<'_> = serde_json::from_str(answer.get()).map_err(misread)?;
            let entries: Vec<&RawValue> = field(&page, key).map_err(misread)?;
            entries.into_iter().for_each(|it| list.add(it));
            let ttl_ms: Option<u64> = field(&page, "ttlMs").map_err(misread)?;
            list.ttl_ms = ttl_ms.or(list.ttl_ms);
            cursor = field(&page, "nextCursor").map_err(misread)?;
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

    /// One that breaks a limit costs itself alone.
    fn add(&mut self, entry: &RawValue) {
        match read_part(entry) {
            Ok(entry) => self.entries.push(entry),
            Err(reason) => {
                let named = serde_json::from_str::<Named>(entry.get());
                let name = named.map_or_else(|_| "?".to_owned(), |it| it.name);
                self.problems.push(format!("`{name}`: {reason}"));
            }
        }
    }
}

/// An absent one counts as `null`.
fn field<'a, T: Deserialize<'a>>(page: &Page<'a>, name: &str) -> serde_json::Result<T> {
    serde_json::from_str(page.get(name).map_or("null", |it| it.get()))
}
