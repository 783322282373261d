use serde_json::Value;

/// One call of a tool, as the model made it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// The id that the model, or the provider's wire, gave the call. Models repeat ids, so it is
    /// unique at most within a turn.
    pub id: String,
    /// The name as the model wrote it; there may be no such tool.
    pub name: String,
    /// The arguments; an empty object where `invalid_input` is set.
    pub input: Value,
    /// The arguments as the model wrote them, when they are not a JSON object.
    pub invalid_input: Option<String>,
}
