//! Runners: foreign agents that run turns of a session in place of the daemon's own engine.

mod capabilities;
mod error_kind;
mod log_entry;
mod log_stream;
mod message_runner;
mod turn_summary;

pub use capabilities::RunnerCapabilities;
pub use error_kind::RunnerErrorKind;
pub use log_entry::LogEntry;
pub use log_stream::RunnerLogStream;
pub use message_runner::MessageRunner;
pub use turn_summary::{TurnStatus, TurnSummary};

/// The name of the daemon's own engine, where a runner can be named.
pub const OWN_RUNNER: &str = "scorel";
