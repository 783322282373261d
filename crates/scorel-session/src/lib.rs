//! Sessions: the owners of logs, the tasks that run turns, and the feeds of subscribers.
//!
//! One session is one [`Lane`]. Every change of a session happens in the lane's critical section:
//! assign seq, append, sync, fold and publish are one step. So subscribers see events in the order of
//! their seqs, and no event before it is durable.
//!
//! ```text
//! rpc → Lane → journal (append, sync) → SessionView (fold) → Feed → Subscriber → rpc
//!         ↑
//!       turn task ← TurnDriver (scorel-engine) ← model, tools
//! ```
//!
//! Modules, each using only those before it: errors and formats (`json_file`, `damage`, `receipts`, `checkpoint`,
//! `spool`, `header`, `history_copy`, `garbage`, `phase`), what lanes share (`active`, `catalog`, `trash`,
//! `window_pool`, `usage_index`, `shared`), `feed`, `context_size`, `lane`, then its
//! users side by side: `previews`, `turn_summary`, `told_guidance`, `restore`, `bundled_log` with
//! `history_writer`, `hook_points`, `compaction` with `turn`, `live_cursor`, and `sync` with `subscriber`; `sessions` last.
//!
//! The crate knows no socket, no provider and no tool: the host makes what a turn needs, behind
//! [`TurnSetup`].

mod active;
mod blocking;
mod bundled_log;
mod catalog;
mod checkpoint;
mod clock;
mod compaction;
mod compaction_breaker;
mod context_size;
mod damage;
mod deletion;
mod error;
mod feed;
mod garbage;
mod guidance;
mod header;
mod history_copy;
mod history_writer;
mod hook_points;
mod host_feed;
mod imported_pictures;
mod json_file;
mod lane;
#[cfg(test)]
mod lane_model_test;
mod live_cursor;
mod locks;
#[cfg(test)]
mod model_test;
mod phase;
mod previews;
mod receipts;
mod recovery_mark;
mod restore;
mod runner_pool;
mod sessions;
mod settings;
mod setup;
mod shared;
mod spool;
mod subscriber;
mod sync;
mod target_problem;
mod title;
mod told_guidance;
mod transcript;
mod trash;
mod turn;
mod turn_summary;
mod unrecorded_cancel;
mod usage_index;
mod window_pool;

pub use active::check_active_file;
pub use bundled_log::BundledLog;
pub use catalog::{CLONING_DIR, DELETED_PREFIX, ListFilter, check_index_file};
pub use checkpoint::CheckpointFile;
pub use clock::{TokioClock, WallClock};
pub use damage::{DamagedRange, unaccepted_damage};
pub use deletion::Deletion;
pub use error::SessionError;
pub use garbage::{GarbageSum, KEEP_COPIES, SessionGarbage, bytes_in};
pub use guidance::{Guidance, KnownGuidance};
pub use header::{HeaderType, SessionHeader};
pub use history_writer::HistoryWriter;
pub use host_feed::{HostFeed, HostFeedGap};
pub use lane::{
    AppendData, AppendMessage, CancelAndClear, ContextRemoval, DamageAcceptance, EventDraft, Job,
    JobName, Lane, LaneChanges, LeafTarget, MoveLeaf, Mutation, OpeningMessage, PermissionResponse,
    PublishedLane, PublishedView, QueueRewrite, Section, SendRequest, SessionFeature,
    UpdateRequest, WaitEnd,
};
pub use live_cursor::{LiveCursor, LiveScope, LiveStep};
pub use receipts::{MutationCommand, ReceiptAnswer};
pub use recovery_mark::given_up_sessions;
pub use restore::{BegunRestore, RestoreChoice, RestorePoint};
pub use sessions::{
    CloneRequest, ImportDir, ImportRequest, ImportedHistory, NewSession, QuestionFilter, Sessions,
    SessionsOverview,
};
pub use settings::SessionSettings;
pub use setup::{
    CompactionSettings, CompactionSetup, PreparedEngine, PreparedRunner, PreparedTurn,
    SessionResources, TurnBackend, TurnRequest, TurnSetup,
};
pub use subscriber::{Subscriber, SubscriberLag};
pub use target_problem::TargetProblem;
pub use title::{TitleAnswer, TitleRequest};
pub use unrecorded_cancel::UnrecordedCancel;
pub use usage_index::check_usage_file;

use blocking::blocking;
