use std::fmt;

use futures_util::future::BoxFuture;
use scorel_mcp_http::HttpServer;
use scorel_process::StartedProgram;

/// The daemon's services for a server.
pub trait McpPort: fmt::Debug + Send + Sync + 'static {
    /// Starts its program, or finds the way to it. What blocks runs elsewhere. The error is a sentence without its full
    /// stop.
    fn start(&self) -> BoxFuture<'_, Result<McpStart, String>>;
}

/// The way to a server.
#[derive(Debug)]
pub enum McpStart {
    Program(Box<StartedProgram>),
    Http(Box<HttpServer>),
}
