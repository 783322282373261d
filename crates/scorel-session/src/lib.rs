//! Sessions: the owners of logs, the tasks that run turns, and the feeds of subscribers.
//!
//! One session is one [`Lane`]. Every change of a session happens in the lane's critical section:
//! assign seq, append, sync, fold and publish are one step. So subscribers see events in the order of
//! their seqs, and no event before it is durable.
//!
//! ```text
//! rpc → Lane → journal (append, sync) → SessionView (fold) → Feed → Subscriber → rpc
//!         ↑
//!       turn task ← TurnDriver (scorel-runtime) ← model, tools
//! ```
//!
//! Modules, each using only those before it: errors and formats (`damage`, `receipts`, `checkpoint`,
//! `spool`, `header`), what lanes share (`active`, `catalog`, `window_pool`, `descriptors`, `shared`),
//! `feed`, `lane`, then its users side by side: `turn` and `sync` with `subscriber`; `sessions` last.
//!
//! The crate knows no socket, no provider and no tool: the host makes what a turn needs, behind
//! [`TurnSetup`].

mod active;
mod blocking;
mod catalog;
mod checkpoint;
mod clock;
mod damage;
mod descriptors;
mod error;
mod feed;
mod guidance;
mod header;
mod host_feed;
mod lane;
#[cfg(test)]
mod model_test;
mod receipts;
mod sessions;
mod settings;
mod setup;
mod shared;
mod spool;
mod subscriber;
mod sync;
mod title;
mod turn;
mod window_pool;

pub use active::check_active_file;
pub use catalog::{DELETED_PREFIX, ListFilter, check_index_file};
pub use checkpoint::CheckpointFile;
pub use clock::TokioClock;
pub use damage::{DamagedPlace, unaccepted_damage};
pub use error::SessionError;
pub use guidance::{Guidance, KnownGuidance};
pub use header::{HeaderType, SessionHeader};
pub use host_feed::{HostFeed, HostFeedGap};
pub use lane::{Lane, SendRequest};
pub use receipts::MutationCommand;
pub use sessions::{NewSession, Sessions};
pub use settings::SessionSettings;
pub use setup::{PreparedTurn, TurnRequest, TurnSetup};
pub use subscriber::Subscriber;
pub use title::{TitleAnswer, TitleRequest};

use blocking::blocking;
