//! Test doubles and harnesses: the model endpoint, the daemon under test.

mod daemon;
mod model_server;

pub use daemon::DaemonUnderTest;
pub use model_server::{Answer, ChatAnswer, Gate, ModelServer, RecordedRequest};
