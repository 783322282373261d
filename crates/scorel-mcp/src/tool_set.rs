use serde_json::Value;

use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::tool_spec::ToolSpec;

/// A call of a tool.
#[derive(Debug, Clone)]
pub(crate) struct ToolCall {
    pub(crate) name: String,
    /// An object.
    pub(crate) arguments: Value,
}

/// Tools that a server offers.
pub(crate) trait ToolSet: Send + Sync + 'static {
    /// The text that a client gives its model about all of them.
    fn instructions(&self) -> Option<&str>;

    /// All tools.
    ///
    /// # Errors
    /// They are not there now.
    fn tools(&self) -> impl Future<Output = Result<Vec<ToolSpec>, Failure>> + Send;

    /// Carries a call out. Dropped if the client withdraws it.
    fn call(&self, call: ToolCall) -> impl Future<Output = Outcome> + Send;
}
