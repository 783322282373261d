use std::fmt;
use std::time::Duration;

use futures_util::future::BoxFuture;

/// The engine's clock. Tests pause it.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Monotonic time since an arbitrary origin.
    fn now(&self) -> Duration;

    /// The wall clock, in milliseconds since 1970. It may be set, also back.
    fn unix_ms(&self) -> u64;

    /// Completes when `duration` has passed.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
}
