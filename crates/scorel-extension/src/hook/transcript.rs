use std::any::Any;
use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

/// Writes down what was said in a session, for commands that read that.
pub trait HookTranscript: fmt::Debug + Send + Sync {
    /// Brings the file up to date. It stays at least until the value is dropped.
    fn write(&self) -> BoxFuture<'static, Arc<dyn Any + Send + Sync>>;
}
