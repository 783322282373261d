//! The tools that a server lists.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use scorel_outside_tool::ToolSchema;
use scorel_process::{CallLimit, ServiceError, ServiceLink};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::era::Era;
use crate::params::params;

/// The time for a page of a list.
const PAGE: Duration = Duration::from_secs(30);

/// Tools of a server.
const MAX_TOOLS: usize = 1000;

/// Pages of its list: a cursor may lead in a circle.
const MAX_PAGES: usize = 100;

/// Bytes of a description.
const MAX_DESCRIPTION: usize = 16 * 1024;

/// The tools of a server, as it listed them last.
#[derive(Debug)]
pub struct McpListing {
    /// The way in which it was asked, and is called.
    pub era: Era,
    pub tools: Vec<Arc<ListedTool>>,
    /// Sentences about tools that are left out, each with its name.
    pub problems: Vec<String>,
    /// The time from which the list has to be read again.
    pub(crate) expires: Option<Instant>,
}

/// A tool as its server describes it.
#[derive(Debug)]
pub struct ListedTool {
    pub name: String,
    pub description: String,
    pub schema: Arc<ToolSchema>,
    /// It says that it changes nothing.
    pub says_read_only: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    tools: Vec<Value>,
    next_cursor: Option<String>,
    ttl_ms: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    name: String,
    #[serde(default)]
    description: String,
    input_schema: Value,
    #[serde(default)]
    annotations: Annotations,
    #[serde(default)]
    execution: Value,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Annotations {
    read_only_hint: bool,
}

impl McpListing {
    /// The list of a server without tools.
    pub(crate) const fn empty(era: Era) -> Self {
        Self {
            era,
            tools: Vec::new(),
            problems: Vec::new(),
            expires: None,
        }
    }

    /// Asks for all pages. A tool that cannot be offered is left out.
    pub(crate) async fn read(link: &ServiceLink, era: Era) -> Result<Self, ServiceError> {
        let (mut listing, mut names) = (Self::empty(era), BTreeSet::new());
        let mut cursor: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let page = page(link, era, cursor.as_deref()).await?;
            for entry in page.tools {
                listing.add(entry, &mut names);
            }
            listing.expires = page.ttl_ms.and_then(expiry).or(listing.expires);
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(listing);
            }
        }
        let left_out = format!("tools after page {MAX_PAGES} are left out");
        listing.problems.push(left_out);
        Ok(listing)
    }

    fn add(&mut self, entry: Value, names: &mut BTreeSet<String>) {
        let name = entry["name"].as_str().unwrap_or("?").to_owned();
        let added = match names.len() {
            MAX_TOOLS => Err(format!("a server has at most {MAX_TOOLS} tools")),
            _ if !names.insert(name.clone()) => Err("there is another with this name".to_owned()),
            _ => ListedTool::read(entry),
        };
        match added {
            Ok(tool) => self.tools.push(Arc::new(tool)),
            Err(reason) => self.problems.push(format!("`{name}`: {reason}")),
        }
    }

    pub(crate) fn is_expired(&self) -> bool {
        self.expires.is_some_and(|at| at <= Instant::now())
    }
}

fn expiry(ttl_ms: u64) -> Option<Instant> {
    Instant::now().checked_add(Duration::from_millis(ttl_ms))
}

async fn page(link: &ServiceLink, era: Era, cursor: Option<&str>) -> Result<Page, ServiceError> {
    let asked = match cursor {
        Some(cursor) => json!({ "cursor": cursor }),
        None => json!({}),
    };
    let params = params(era, asked, None);
    let answer = link
        .call("tools/list", &params, &CallLimit::of(PAGE))
        .await?;
    serde_json::from_str(answer.get()).map_err(|error| link.misanswered("tools/list", &error))
}

impl ListedTool {
    fn read(entry: Value) -> Result<Self, String> {
        let entry: Entry = serde_json::from_value(entry).map_err(|error| error.to_string())?;
        if entry.execution["taskSupport"] == "required" {
            return Err("it runs only as a task, which is not supported".to_owned());
        }
        if entry.description.len() > MAX_DESCRIPTION {
            return Err(format!(
                "its description has more than {MAX_DESCRIPTION} bytes"
            ));
        }
        Ok(Self {
            name: entry.name,
            description: entry.description,
            schema: Arc::new(ToolSchema::new(entry.input_schema)?),
            says_read_only: entry.annotations.read_only_hint,
        })
    }
}
