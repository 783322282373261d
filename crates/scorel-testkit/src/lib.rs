//! Test doubles and harnesses: the model endpoint, the daemon under test.

mod model_server;

pub use model_server::{Answer, ChatAnswer, Gate, ModelServer, RecordedRequest};
