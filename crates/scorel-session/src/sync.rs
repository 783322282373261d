//! How a client catches up with a session, over a subscription or page by page.
//!
//! In: the client's anchors. Out: batches of events that take it from there to the present without a
//! gap or a repetition. [`SyncPlan`] compares the anchors with the session and chooses the mode;
//! [`SyncCursor`] carries it out. A [`Subscriber`](crate::Subscriber) follows the cursor for ever and
//! adds markers; `resync` pins mode and end, and puts the cursor into its page tokens.

mod cursor;
mod plan;

pub(crate) use cursor::{SyncBatch, SyncCursor, SyncPoint};
pub(crate) use plan::SyncPlan;
