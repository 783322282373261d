//! Test doubles and harnesses: the model endpoint, the daemon under test, and what must hold of its
//! logs whatever happens to it.

mod checked_log;
mod daemon;
mod descriptors;
mod model_server;
mod reply;
mod seed;
mod sightings;
mod strace;
mod strict;

pub use checked_log::{CheckedLog, CheckedRecord, LogFault, sealed};
pub use daemon::DaemonUnderTest;
pub use descriptors::send_descriptors;
pub use model_server::{Answer, ChatAnswer, Gate, ModelServer, RecordedRequest};
pub use reply::Reply;
pub use seed::{Dice, runs};
pub use sightings::{SightingFault, Sightings};
pub use strace::{Strace, Trace, TracedCall};
pub use strict::{Api, StrictServer};
