//! The derived file that makes loading a session independent of its length.
//!
//! The payload is one line of JSON, [`Stored`], and then the tree and the index in their compact
//! forms. A checkpoint that does not fit its log is ignored.

use std::io;
use std::path::Path;

use scorel_journal::{
    CheckpointState, Index, ResumePoint, Storage, check_checkpoint, read_checkpoint,
    write_checkpoint,
};
use scorel_proto::{OpenItems, SessionState, SessionView, Tree};
use serde::{Deserialize, Serialize};

use crate::clock::now_ms;
use crate::lane::{Lane, LaneState};
use crate::receipts::{Receipts, StoredReceipt};

/// The version of the payload. Another one is ignored.
const VERSION: u32 = 1;

/// The version of a checkpoint that says nothing.
const VOID: u32 = 0;

/// How large a checkpoint may be: enough for tens of millions of events.
const MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// How much a log must have grown since the last checkpoint, in bytes and as a part of itself.
const DUE_BYTES: u64 = 1024 * 1024;
const DUE_FRACTION: u64 = 8;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Stored {
    resume: ResumePoint,
    state: SessionState,
    receipts: Vec<StoredReceipt>,
    tree_bytes: usize,
}

/// The part of [`Stored`] that every form has: a checkpoint witnesses how far the log reached even to
/// a version that cannot use it.
#[derive(Debug, Deserialize)]
struct StoredPoint {
    resume: ResumePoint,
}

/// What a checkpoint holds of a session.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    pub(crate) resume: ResumePoint,
    pub(crate) view: SessionView,
    pub(crate) index: Index,
    pub(crate) receipts: Receipts,
}

/// What the checkpoint file of a session says, for a tool that looks at a home.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckpointFile {
    /// It is not as it was written.
    Damaged,
    /// It is intact and has a form that this version does not read.
    OtherForm,
    /// It holds what the log says up to this record.
    UpTo(ResumePoint),
}

impl CheckpointFile {
    /// Looks at the checkpoint in the session's directory.
    ///
    /// # Errors
    ///
    /// `NotFound` if there is none, and whatever else the file system says.
    pub fn inspect(storage: &dyn Storage, dir: &Path) -> io::Result<Self> {
        Ok(match check_checkpoint(storage, dir, MAX_BYTES)? {
            CheckpointState::Damaged => Self::Damaged,
            CheckpointState::Intact { payload, .. } => {
                let line = payload.split(|byte| *byte == b'\n').next();
                match line.map(serde_json::from_slice::<StoredPoint>) {
                    Some(Ok(stored)) => Self::UpTo(stored.resume),
                    _ => Self::OtherForm,
                }
            }
        })
    }
}

impl Checkpoint {
    /// Reads the checkpoint in `dir`, if there is one that makes sense.
    pub(crate) fn read(storage: &dyn Storage, dir: &Path) -> Option<Self> {
        let payload = read_checkpoint(storage, dir, VERSION, MAX_BYTES)?;
        let line_end = payload.iter().position(|byte| *byte == b'\n')?;
        let stored: Stored = serde_json::from_slice(&payload[..line_end]).ok()?;
        let (tree, index) = payload[line_end + 1..].split_at_checked(stored.tree_bytes)?;
        Some(Self {
            resume: stored.resume,
            view: SessionView {
                tree: Tree::decode(tree)?,
                open: OpenItems::default(),
                state: stored.state,
            },
            index: Index::from_bytes(index)?,
            receipts: Receipts::restore(stored.receipts),
        })
    }
}

impl Lane {
    /// Writes a checkpoint if the log has grown much since the last one.
    pub(crate) fn checkpoint_if_due(&self, state: &mut LaneState) {
        let grown = state.log.end().saturating_sub(state.checkpointed);
        if grown >= DUE_BYTES.max(state.log.end() / DUE_FRACTION) {
            self.checkpoint(state);
        }
    }

    /// Writes a checkpoint, if the session is between two turns. Failing is no harm: it is derived.
    pub(crate) fn checkpoint(&self, state: &mut LaneState) {
        let Some(resume) = state.log.resume_point() else {
            return;
        };
        let idle = state.view.state.turn.is_none() && state.view.open.is_empty();
        let is_new = state.checkpointed != state.log.end();
        // Behind a checkpoint nobody would see the damage again that still has to be accepted.
        let is_sound = state.failed.is_none() && state.damage.is_empty() && self.is_sound();
        if !idle || !is_new || !is_sound || state.deleted {
            return;
        }
        let tree = state.view.tree.encode();
        let stored = Stored {
            resume,
            state: state.view.state.clone(),
            receipts: state.receipts.stored(now_ms()),
            tree_bytes: tree.len(),
        };
        let Ok(mut payload) = serde_json::to_vec(&stored) else {
            return;
        };
        payload.push(b'\n');
        payload.extend_from_slice(&tree);
        payload.extend_from_slice(&state.index.to_bytes());
        match write_checkpoint(&*self.shared.storage, &self.dir, VERSION, &payload) {
            Ok(()) => state.checkpointed = state.log.end(),
            Err(error) => tracing::warn!(session = %self.id(), %error, "no checkpoint was written"),
        }
    }

    /// Makes sure that the next load reads the whole log.
    pub(crate) fn void_checkpoint(&self) {
        let void = write_checkpoint(&*self.shared.storage, &self.dir, VOID, &[]);
        if let Err(error) = void {
            tracing::warn!(session = %self.id(), %error, "the checkpoint still hides damage");
        }
    }
}
