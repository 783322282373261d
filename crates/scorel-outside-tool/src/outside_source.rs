use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_engine::ToolOutcome;

use crate::listed_tool::ListedTool;
use crate::outside_tool::{OutsideReading, OutsideRun};

/// A program whose tools the turns of a session are offered.
pub trait OutsideSource: fmt::Debug + Send + Sync + 'static {
    /// Its kind and its name, such as `mcp:tickets`, which are parts of the names of its tools. Without a kind its tools
    /// are called as it calls them.
    fn name(&self) -> &str;

    /// Its tools as far as they are known. Waits for nothing.
    fn known(&self) -> Option<Vec<Arc<ListedTool>>>;

    /// Begins to find out its tools, if they are not known or may be others: a later look knows them. Waits for
    /// nothing.
    fn look(&self);

    /// Its tools. Starts the program if they are not known; that goes on if this is dropped. The error is a sentence
    /// without its full stop.
    fn list(&self) -> BoxFuture<'static, Result<Vec<Arc<ListedTool>>, String>>;

    /// Waits until it can be called, with its tools as they are then. The error is the outcome of a call.
    fn ready(&self) -> BoxFuture<'static, Result<(), ToolOutcome>>;

    /// The daemon's knowledge of a tool that says, or does not say, that it changes nothing.
    fn reading(&self, says_read_only: bool) -> OutsideReading;

    /// Calls of a tool. The error says why there are none, as a sentence without its full stop.
    fn run(&self, tool: &Arc<ListedTool>) -> Result<Arc<dyn OutsideRun>, String>;
}
