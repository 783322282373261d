//! Runners: foreign agents that run turns of a session in place of the daemon's own engine.

mod capabilities;
mod error_kind;
mod log_entry;
mod log_stream;
mod message_runner;

pub use capabilities::RunnerCapabilities;
pub use error_kind::RunnerErrorKind;
pub use log_entry::LogEntry;
pub use log_stream::RunnerLogStream;
pub use message_runner::MessageRunner;

/// The name of the daemon's own engine, where a runner can be named.
pub const OWN_RUNNER: &str = "scorel";
