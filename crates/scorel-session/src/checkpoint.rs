//! The checkpoint file: makes loading a session independent of its length.
//!
//! The payload is one line of JSON, [`CheckpointHead`], then the tree and the index in their compact
//! binary forms: they grow with the log, and as JSON they would dominate the time to load. A
//! checkpoint that does not fit its log is ignored.

use std::io;
use std::path::Path;

use scorel_journal::{
    CheckpointState, Index, ResumePoint, Storage, check_checkpoint, read_checkpoint,
    write_checkpoint,
};
use scorel_proto::{OpenItems, SessionState, SessionView, Tree};
use serde::{Deserialize, Serialize};

use crate::clock::now_ms;
use crate::receipts::{Receipts, StoredReceipt};

/// The version of the payload. A checkpoint of another version is ignored.
const VERSION: u32 = 6;

/// The version of an empty checkpoint, which no daemon reads.
const VOID: u32 = 0;

/// How large a checkpoint may be: enough for tens of millions of events.
const MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CheckpointHead {
    resume: ResumePoint,
    state: SessionState,
    receipts: Vec<StoredReceipt>,
    tree_bytes: usize,
}

/// The part of [`CheckpointHead`] that every version has: a checkpoint shows how far the log reached
/// even to a version that cannot use it.
#[derive(Debug, Deserialize)]
struct CheckpointReach {
    resume: ResumePoint,
}

/// The fold of a log's beginning, and where the log goes on.
#[derive(Debug)]
pub(crate) struct Checkpoint {
    pub(crate) resume: ResumePoint,
    pub(crate) view: SessionView,
    pub(crate) index: Index,
    pub(crate) receipts: Receipts,
}

/// What a session's checkpoint file says, for `fsck`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckpointFile {
    /// Its checksum fails.
    Damaged,
    /// It is intact, but of a version that this one does not read.
    OtherForm,
    /// It covers the log up to this record.
    UpTo(ResumePoint),
}

impl CheckpointFile {
    /// Reads the checkpoint in a session's directory.
    ///
    /// # Errors
    ///
    /// `NotFound` if there is none, otherwise the error of the file system.
    pub fn inspect(storage: &dyn Storage, dir: &Path) -> io::Result<Self> {
        Ok(match check_checkpoint(storage, dir, MAX_BYTES)? {
            CheckpointState::Damaged => Self::Damaged,
            CheckpointState::Intact { payload, .. } => {
                let line = payload.split(|byte| *byte == b'\n').next();
                match line.map(serde_json::from_slice::<CheckpointReach>) {
                    Some(Ok(stored)) => Self::UpTo(stored.resume),
                    _ => Self::OtherForm,
                }
            }
        })
    }
}

impl Checkpoint {
    /// Reads the checkpoint in `dir`, if there is a usable one.
    pub(crate) fn read(storage: &dyn Storage, dir: &Path) -> Option<Self> {
        let payload = read_checkpoint(storage, dir, VERSION, MAX_BYTES)?;
        let line_end = payload.iter().position(|byte| *byte == b'\n')?;
        let head: CheckpointHead = serde_json::from_slice(&payload[..line_end]).ok()?;
        let (tree, index) = payload[line_end + 1..].split_at_checked(head.tree_bytes)?;
        Some(Self {
            resume: head.resume,
            view: SessionView {
                tree: Tree::decode(tree)?,
                open: OpenItems::default(),
                state: head.state,
            },
            index: Index::from_bytes(index)?,
            receipts: Receipts::restore(head.receipts),
        })
    }

    /// The checkpoint of a fold, for [`Checkpoint::write`].
    pub(crate) fn encode(
        resume: ResumePoint,
        view: &SessionView,
        index: &Index,
        receipts: &Receipts,
    ) -> io::Result<Vec<u8>> {
        let tree = view.tree.encode();
        let head = CheckpointHead {
            resume,
            state: view.state.clone(),
            receipts: receipts.stored(now_ms()),
            tree_bytes: tree.len(),
        };
        let mut payload = serde_json::to_vec(&head)?;
        payload.push(b'\n');
        payload.extend_from_slice(&tree);
        payload.extend_from_slice(&index.to_bytes());
        Ok(payload)
    }

    /// Replaces the checkpoint in `dir`.
    pub(crate) fn write(storage: &dyn Storage, dir: &Path, encoded: &[u8]) -> io::Result<()> {
        write_checkpoint(storage, dir, VERSION, encoded)
    }

    /// Replaces the checkpoint in `dir` by one that is ignored. Overwritten, not removed: replacing
    /// a file is durable in one step of [`Storage`].
    pub(crate) fn void(storage: &dyn Storage, dir: &Path) -> io::Result<()> {
        write_checkpoint(storage, dir, VOID, &[])
    }
}
