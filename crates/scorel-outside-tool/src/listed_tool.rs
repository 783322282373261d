use std::sync::Arc;

use crate::tool_schema::ToolSchema;

/// A tool as its program describes it.
#[derive(Debug)]
pub struct ListedTool {
    /// As its program calls it.
    pub name: String,
    pub description: String,
    pub schema: Arc<ToolSchema>,
    /// It says that it changes nothing.
    pub says_read_only: bool,
}

impl ListedTool {
    /// Returns whether a model that was told of the other one knows this one.
    pub fn is_told_by(&self, other: &Self) -> bool {
        self.description == other.description
            && self.schema.json() == other.schema.json()
            && self.says_read_only == other.says_read_only
    }
}
