use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::{ToolCall, ToolPlan, ToolSpec};

/// Something the model can call.
///
/// A call is planned, then judged by the gate, then run. A tool that blocks plans with
/// [`ToolPlan::blocking`].
pub trait Tool: fmt::Debug + Send + Sync {
    /// The same for the life of the tool.
    fn spec(&self) -> &ToolSpec;

    /// Parses the call, once, and declares what running it would do. Plans right before the call is
    /// judged, when the calls before it have had their effects.
    ///
    /// May look at the file system, but changes nothing: the future may be dropped, and a plan may
    /// never run. A call that cannot run becomes [`ToolPlan::answered`].
    fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan>;

    /// The call of another tool that this one stands for, if it does. That one is shown to the hooks, planned, judged
    /// and recorded in its place.
    fn stands_for(&self, _call: &ToolCall) -> Option<ToolCall> {
        None
    }
}
