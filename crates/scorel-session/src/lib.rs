//! Sessions: what owns their logs, runs their turns and feeds their subscribers.
//!
//! One session is one [`Lane`]. Everything that changes a session happens in the lane's critical
//! section: number, write, fold and publish are one step, so the order in which subscribers see
//! events is the order of their numbers, and nothing is seen before it is durable.
//!
//! ```text
//! rpc → Lane → journal (append, sync) → SessionView (fold) → Feed → Subscriber → rpc
//!         ↑                                                     
//!       turn task ← TurnDriver (scorel-runtime) ← model, tools
//! ```
//!
//! The crate knows no socket, no provider and no tool: [`TurnSetup`] makes what a turn needs.

mod active;
mod catalog;
mod checkpoint;
mod clock;
mod error;
mod feed;
mod header;
mod host_feed;
mod lane;
#[cfg(test)]
mod model_test;
mod oversize;
mod receipts;
mod recovery;
mod resync;
mod sessions;
mod settings;
mod setup;
mod shared;
mod spool;
mod subscriber;
mod turn;

pub use active::check_active_file;
pub use catalog::{DELETED_PREFIX, check_index_file};
pub use checkpoint::CheckpointFile;
pub use clock::TokioClock;
pub use error::SessionError;
pub use header::{HeaderType, SessionHeader};
pub use host_feed::{Gap, HostFeed};
pub use lane::{DamagedPlace, Lane, SendRequest, unaccepted_damage};
pub use receipts::Command;
pub use sessions::{ListFilter, NewSession, Sessions};
pub use settings::SessionSettings;
pub use setup::{PreparedTurn, TurnRequest, TurnSetup};
pub use subscriber::Subscriber;
