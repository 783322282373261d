use std::fmt;

use futures_util::future::BoxFuture;
use scorel_process::StartedProgram;

/// The daemon's services for a server.
pub trait McpPort: fmt::Debug + Send + Sync + 'static {
    /// Starts its program. What blocks runs elsewhere. The error is a sentence without its full stop.
    fn start(&self) -> BoxFuture<'_, Result<StartedProgram, String>>;
}
