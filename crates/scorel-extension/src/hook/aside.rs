use std::fmt;

use futures_util::future::BoxFuture;

/// Has the work of hooks done that nothing waits for.
pub trait HookAsides: fmt::Debug + Send + Sync {
    /// Has `work` done in its turn, unless too much waits. The model is told what it returns, in the name of the
    /// hook.
    fn run(&self, hook: &str, work: BoxFuture<'static, Option<String>>);
}
