use std::fmt;

use futures_util::future::BoxFuture;
use scorel_process::StartedProgram;
use scorel_proto::RpcError;
use serde_json::Value;

/// The daemon's services for the program of an extension.
pub trait ExtensionPort: fmt::Debug + Send + Sync + 'static {
    /// Starts the program. What blocks runs elsewhere. The error is a sentence without its full stop.
    fn start(&self) -> BoxFuture<'_, Result<StartedProgram, String>>;

    /// The parameters of `initialize`.
    fn initialize(&self) -> Value;

    /// Answers a call of the program.
    fn called(&self, method: &str, params: Value) -> BoxFuture<'static, Result<Value, RpcError>>;
}
