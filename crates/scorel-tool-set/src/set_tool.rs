use std::sync::Arc;

use scorel_outside_tool::{ListedTool, ToldTool, ToolSchema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool of a set.
#[derive(Debug, Clone)]
pub struct SetTool {
    /// The name of its source, such as `mcp:tickets`.
    pub source: String,
    pub told: ToldTool,
    pub telling: Telling,
}

/// The way in which a model is told of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Telling {
    /// Requests describe it.
    Described,
    /// There are too many for requests: it is searched for.
    Deferred,
    /// An endpoint refuses its description: it is searched for.
    Refused,
}

/// A tool in the blob of a set.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StoredTool {
    name: String,
    source: String,
    tool: String,
    description: String,
    parameters: Value,
    read_only: bool,
    telling: Telling,
}

impl SetTool {
    /// Bytes that it takes in a request.
    pub(crate) fn bytes(&self) -> usize {
        let listed = self.told.listed();
        let schema = listed.schema.json().to_string();
        self.told.name().len() + listed.description.len() + schema.len()
    }

    /// Its source, and the name that it has there.
    pub(crate) fn origin(&self) -> (&str, &str) {
        (&self.source, &self.told.listed().name)
    }

    /// The first line of its description, without what could be taken for another line.
    pub(crate) fn line(&self) -> String {
        let description = self.told.listed().description.trim();
        let line = description.lines().next().unwrap_or_default();
        line.chars().filter(|it| !it.is_control()).collect()
    }
}

impl From<&SetTool> for StoredTool {
    fn from(tool: &SetTool) -> Self {
        let listed = tool.told.listed();
        Self {
            name: tool.told.name().to_owned(),
            source: tool.source.clone(),
            tool: listed.name.clone(),
            description: listed.description.clone(),
            parameters: Value::clone(listed.schema.json()),
            read_only: listed.says_read_only,
            telling: tool.telling,
        }
    }
}

impl From<StoredTool> for SetTool {
    fn from(stored: StoredTool) -> Self {
        let listed = ListedTool {
            name: stored.tool,
            description: stored.description,
            // It was accepted when it was listed.
            schema: Arc::new(ToolSchema::accepted(stored.parameters)),
            says_read_only: stored.read_only,
        };
        Self {
            told: ToldTool::named(stored.name, &stored.source, Arc::new(listed)),
            source: stored.source,
            telling: stored.telling,
        }
    }
}
