use std::sync::Arc;

use schemars::JsonSchema;
use scorel_proto::TokenEstimate;
use serde_json::Value;

use super::arguments::schema;

/// What the model and the engine are told about a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name that the model calls it by; unique within a [`ToolList`](crate::ToolList).
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON Schema of its arguments, an object schema. Shared, because every loaded session has
    /// specs of its own and the schemas of the built-in tools together take tens of kilobytes.
    pub parameters: Arc<Value>,
    /// Whether it changes nothing, so that adjacent calls may run in parallel.
    pub read_only: bool,
    /// What kind of tool it is; tool presets are made of classes.
    pub class: ToolClass,
}

/// The kind of a tool. A preset offers whole classes, so a new tool needs no entry in any preset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ToolClass {
    /// Reads the session's files, or keeps state of the session itself.
    Inspect,
    /// Creates or changes files.
    Edit,
    /// Runs commands, or observes and stops running ones.
    Command,
    /// Fetches from the network.
    Web,
    /// Gives tasks to agents.
    Agents,
    /// Runs outside the daemon, which sees only the call: MCP servers, extensions.
    Outside,
}

impl ToolSpec {
    /// A tool that changes something, with the schema of its arguments derived from `A`.
    pub fn of<A: JsonSchema + 'static>(name: &str, description: &str, class: ToolClass) -> Self {
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            parameters: schema::<A>(),
            read_only: false,
            class,
        }
    }

    /// The same for a tool that changes nothing.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// The estimated size of its description in a request.
    pub fn tokens(&self) -> TokenEstimate {
        TokenEstimate::of_text(&self.name)
            + TokenEstimate::of_text(&self.description)
            + TokenEstimate::of_text(&self.parameters.to_string())
            + TokenEstimate::FRAME
    }
}
