//! Checks the checkpoint of a log.

use std::path::{Path, PathBuf};

use scorel_journal::{FileStorage, ResumePoint, if_present};
use scorel_session::CheckpointFile;

use crate::finding::{Finding, Repair};
use crate::log::ScannedLog;

/// The checkpoint of a session, as it was before the log was read.
#[derive(Debug)]
pub(crate) enum FoundCheckpoint {
    Absent,
    /// With the error of the file system.
    Unreadable(String),
    Read(CheckpointFile),
}

impl FoundCheckpoint {
    pub(crate) fn read(dir: &Path) -> Self {
        match if_present(CheckpointFile::inspect(&FileStorage, dir)) {
            Ok(Some(file)) => Self::Read(file),
            Ok(None) => Self::Absent,
            Err(error) => Self::Unreadable(error.to_string()),
        }
    }

    /// The last record that it covers, if it names one.
    pub(crate) fn resume_point(&self) -> Option<ResumePoint> {
        match self {
            Self::Read(CheckpointFile::UpTo(point)) => Some(*point),
            _ => None,
        }
    }
}

pub(crate) fn path(dir: &Path) -> PathBuf {
    dir.join("checkpoint")
}

/// Checks a checkpoint against the log, which must have been read after it.
pub(crate) fn check(
    file: &FoundCheckpoint,
    dir: &Path,
    log: &ScannedLog,
    found: &mut Vec<Finding>,
) {
    let path = path(dir);
    let stale = |meaning| Finding::note("checkpoint_stale", &path, meaning);
    let finding = match file {
        FoundCheckpoint::Absent => return,
        FoundCheckpoint::Unreadable(problem) => Finding::derived_broken(&path, problem),
        FoundCheckpoint::Read(CheckpointFile::Damaged) => {
            Finding::derived_broken(&path, "the checksum does not match")
        }
        FoundCheckpoint::Read(CheckpointFile::OtherForm) => {
            stale("the checkpoint is from another version; it is ignored and recreated")
        }
        FoundCheckpoint::Read(CheckpointFile::UpTo(point)) if log.reader.holds(point) => return,
        FoundCheckpoint::Read(CheckpointFile::UpTo(point))
            if point.seq() > log.last && point.place().end() > log.end =>
        {
            truncated(dir, log, point)
        }
        FoundCheckpoint::Read(CheckpointFile::UpTo(_)) => {
            stale("the checkpoint does not match the log; it is ignored and recreated")
        }
    };
    found.push(finding);
}

/// The checkpoint is synced after the records that it covers, so a log that ends before them has
/// lost its end since.
fn truncated(dir: &Path, log: &ScannedLog, point: &ResumePoint) -> Finding {
    let meaning = format!(
        "the log ends with record {}, but its checkpoint covers record {}: records at the end are missing",
        log.last,
        point.seq()
    );
    Finding::damage("truncated", &dir.join(scorel_journal::EVENTS), meaning)
        .at(log.end, point.place().end() + 1 - log.end)
        .repaired_by(Repair::RewriteLog)
}
