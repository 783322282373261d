//! Messages over the socket.

use scorel_engine::{ToolOutcome, ToolSpec};
use scorel_proto::Block;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Parameters of `listTools`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParams {}

/// Result of `listTools`.
#[derive(Debug, Serialize)]
pub(crate) struct ListedTools {
    tools: Vec<ListedTool>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ListedTool {
    name: String,
    description: String,
    input_schema: Value,
    read_only: bool,
}

/// Parameters of `callTool`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallParams {
    pub(crate) name: String,
    /// An object.
    pub(crate) input: Value,
}

/// Result of `callTool`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CalledTool {
    text: String,
    is_error: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Value>,
}

impl<'a> FromIterator<&'a ToolSpec> for ListedTools {
    fn from_iter<I: IntoIterator<Item = &'a ToolSpec>>(specs: I) -> Self {
        let tools = specs.into_iter().map(|spec| ListedTool {
            name: spec.name.clone(),
            description: spec.description.clone(),
            input_schema: (*spec.parameters).clone(),
            read_only: spec.read_only,
        });
        Self {
            tools: tools.collect(),
        }
    }
}

impl From<ToolOutcome> for CalledTool {
    fn from(outcome: ToolOutcome) -> Self {
        Self {
            text: Block::plain_text_of(&outcome.content),
            is_error: outcome.is_error,
            details: outcome.details,
        }
    }
}
