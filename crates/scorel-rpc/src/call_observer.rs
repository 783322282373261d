use std::fmt;
use std::time::Duration;

/// Learns how long calls take.
pub trait CallObserver: fmt::Debug + Send + Sync {
    /// A handler of the table has answered, after `took`. `method` is always a name of the table: calls
    /// of unknown methods are not reported. Called on the connection's task, so it must return at once.
    fn answered(&self, method: &'static str, took: Duration);
}
