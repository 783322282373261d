use std::fmt;
use std::time::Duration;

use futures_util::future::BoxFuture;

/// Time, as the engine sees it. Tests pause it.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Monotonic time since some fixed moment.
    fn now(&self) -> Duration;

    /// Completes when `duration` has passed.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
}
