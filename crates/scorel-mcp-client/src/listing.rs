//! The tools and prompts that a server lists.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use scorel_mcp_http::HttpState;
use scorel_outside_tool::{ListedTool, ToolSchema};
use scorel_process::{ServiceError, ServiceLink};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

use crate::era::Era;
use crate::handshake::Capabilities;
use crate::pages::PagedList;
use crate::prompt::ListedPrompt;

/// Bytes of a description.
const MAX_DESCRIPTION: usize = 16 * 1024;

const LONG: &str = "its description has more than 16 KiB";

/// The tools and prompts of a server, as it listed them last.
#[derive(Debug)]
pub struct McpListing {
    /// The way in which it was asked, and is called.
    pub era: Era,
    pub tools: Vec<Arc<ListedTool>>,
    pub prompts: Vec<Arc<ListedPrompt>>,
    /// Sentences about what is left out, each with its name.
    pub problems: Vec<String>,
    /// The features that its server has declared.
    pub(crate) features: Capabilities,
    /// The time from which the list has to be read again.
    pub(crate) expires: Option<Instant>,
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
    /// Asks for all pages of what a server with these features has. What cannot be offered is left out.
    pub(crate) async fn read(
        link: &ServiceLink,
        era: Era,
        features: Capabilities,
        http: &HttpState,
    ) -> Result<Self, ServiceError> {
        let mut listing = Self {
            era,
            tools: Vec::new(),
            prompts: Vec::new(),
            problems: Vec::new(),
            features,
            expires: None,
        };
        if listing.features.has_tools {
            let tools = PagedList::read(link, era, "tools/list", "tools").await?;
            listing.holds_for(tools.ttl_ms);
            listing.cut(tools.is_cut, "tools");
            listing.problems.extend(tools.problems);
            let mut names = BTreeSet::new();
            for entry in tools.entries {
                listing.add(entry, &mut names, http);
            }
        }
        if listing.features.has_prompts {
            match PagedList::read(link, era, "prompts/list", "prompts").await {
                Ok(prompts) => listing.add_prompts(prompts),
                // Its tools can be used all the same.
                Err(ServiceError::Answered(error)) => {
                    let problem = format!("its prompts cannot be listed: {}", error.message);
                    listing.problems.push(problem);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(listing)
    }

    /// Returns whether the server has resources.
    pub const fn has_resources(&self) -> bool {
        self.features.has_resources
    }

    /// The server's instructions for models, within their bound.
    pub fn instructions(&self) -> Option<&str> {
        self.features.instructions.as_deref()
    }

    fn holds_for(&mut self, ttl_ms: Option<u64>) {
        let expires = ttl_ms.and_then(expiry);
        self.expires = self.expires.into_iter().chain(expires).min();
    }

    fn cut(&mut self, is_cut: bool, what: &str) {
        if is_cut {
            self.problems
                .push(format!("it has more {what} than are read"));
        }
    }

    fn add_prompts(&mut self, list: PagedList) {
        self.holds_for(list.ttl_ms);
        self.cut(list.is_cut, "prompts");
        self.problems.extend(list.problems);
        for entry in list.entries {
            let name = entry["name"].as_str().unwrap_or("?").to_owned();
            match ListedPrompt::deserialize(entry) {
                Ok(prompt) if prompt.description.len() <= MAX_DESCRIPTION => {
                    self.prompts.push(Arc::new(prompt));
                }
                Ok(_) => self.problems.push(format!("`{name}`: {LONG}")),
                Err(error) => self.problems.push(format!("`{name}`: {error}")),
            }
        }
    }

    fn add(&mut self, entry: Value, names: &mut BTreeSet<String>, http: &HttpState) {
        let name = entry["name"].as_str().unwrap_or("?").to_owned();
        let added = match names.insert(name.clone()) {
            true => listed(entry).and_then(|tool| {
                http.learn(&tool.name, tool.schema.json())?;
                Ok(tool)
            }),
            false => Err("there is another with this name".to_owned()),
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

fn listed(entry: Value) -> Result<ListedTool, String> {
    let entry: Entry = serde_json::from_value(entry).map_err(|error| error.to_string())?;
    if entry.execution["taskSupport"] == "required" {
        return Err("it runs only as a task, which is not supported".to_owned());
    }
    if entry.description.len() > MAX_DESCRIPTION {
        return Err(LONG.to_owned());
    }
    Ok(ListedTool {
        name: entry.name,
        description: entry.description,
        schema: Arc::new(ToolSchema::new(entry.input_schema)?),
        says_read_only: entry.annotations.read_only_hint,
    })
}
