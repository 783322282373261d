use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::time::{SystemTime, UNIX_EPOCH};

use scorel_proto::{BlobHash, FileMode, FileState, LinkTarget};
use serde::{Deserialize, Serialize};

use super::pack::Pack;

/// The resolution of a file's times is that of the kernel's tick, at most 10 ms. A file that was changed
/// within it before it was copied may change again without another time.
const TICK_NS: i128 = 20_000_000;

/// One file of the base.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct BaseEntry {
    pub(super) stamp: Stamp,
    pub(super) copied: Copied,
    /// True if the file may have changed since without another stamp.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    racy: bool,
}

/// The attributes that tell, without reading a file, that it was not changed. Its change time cannot be set
/// back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    pub(super) inode: u64,
    bytes: u64,
    mode: u32,
    /// The change time, in nanoseconds since 1970.
    changed: i128,
}

/// The copy of a file or link, if there is one.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Copied {
    File {
        /// The offset in the pack.
        offset: u64,
        bytes: usize,
        sha256: BlobHash,
        mode: FileMode,
    },
    Link {
        link: LinkTarget,
    },
    /// It is too large or could not be read.
    Not,
}

impl Stamp {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            inode: metadata.ino(),
            bytes: metadata.len(),
            mode: metadata.mode(),
            changed: i128::from(metadata.ctime()) * 1_000_000_000
                + i128::from(metadata.ctime_nsec()),
        }
    }
}

impl BaseEntry {
    /// The entry of a file that was copied just now.
    pub(super) fn new(stamp: Stamp, copied: Copied) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| i128::try_from(now.as_nanos()).unwrap_or(i128::MAX));
        Self {
            // Without a copy there is nothing to compare the content with.
            racy: !matches!(copied, Copied::Not) && stamp.changed + TICK_NS >= now,
            stamp,
            copied,
        }
    }

    /// Returns whether the file with this stamp is what the entry says, without a look at its content.
    pub(super) fn is_still(&self, stamp: &Stamp) -> bool {
        self.stamp == *stamp && !self.racy
    }

    pub(super) fn state(&self) -> FileState {
        match &self.copied {
            Copied::File { sha256, mode, .. } => FileState::File {
                sha256: sha256.clone(),
                mode: *mode,
            },
            Copied::Link { link } => FileState::Link { link: link.clone() },
            Copied::Not => FileState::Unknown,
        }
    }

    /// The copy, if it is undamaged.
    pub(super) fn content(&self, pack: &Pack) -> Option<Vec<u8>> {
        match &self.copied {
            Copied::File {
                offset,
                bytes,
                sha256,
                ..
            } => pack.read(*offset, *bytes, sha256),
            Copied::Link { .. } | Copied::Not => None,
        }
    }
}
