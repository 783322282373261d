//! The checkpoint beside a log.

use std::io;
use std::path::{Path, PathBuf};

use scorel_journal::{CheckpointState, FileStorage, ResumePoint, check_checkpoint};
use serde::Deserialize;

use crate::finding::{Finding, Repair};
use crate::log::Log;

/// The daemon ignores a larger one.
const MAX_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// The part of a checkpoint that says to which record it belongs.
#[derive(Deserialize)]
struct Stored {
    resume: ResumePoint,
}

/// What the checkpoint's file holds.
#[derive(Debug)]
pub(crate) enum CheckpointFile {
    Absent,
    /// It cannot be used.
    Broken(String),
    /// It is intact and has a form that this version does not know.
    OtherForm,
    /// It begins behind this record.
    At(ResumePoint),
}

impl CheckpointFile {
    pub(crate) fn read(dir: &Path) -> Self {
        let payload = match check_checkpoint(&FileStorage, dir, MAX_BYTES) {
            Ok(CheckpointState::Intact { payload, .. }) => payload,
            Ok(CheckpointState::Damaged) => {
                return Self::Broken("the checksum does not match".to_owned());
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Self::Absent,
            Err(error) => return Self::Broken(error.to_string()),
        };
        let line = payload.split(|byte| *byte == b'\n').next();
        match line.map(serde_json::from_slice::<Stored>) {
            Some(Ok(stored)) => Self::At(stored.resume),
            _ => Self::OtherForm,
        }
    }

    /// The record that it begins behind, if it says one.
    pub(crate) fn resume_point(&self) -> Option<ResumePoint> {
        match self {
            Self::At(point) => Some(*point),
            Self::Absent | Self::Broken(_) | Self::OtherForm => None,
        }
    }
}

pub(crate) fn path(dir: &Path) -> PathBuf {
    dir.join("checkpoint")
}

/// Checks whether a checkpoint fits the log, which was read after it.
pub(crate) fn check(file: &CheckpointFile, dir: &Path, log: &Log, found: &mut Vec<Finding>) {
    let path = path(dir);
    let finding = match file {
        CheckpointFile::Absent => return,
        CheckpointFile::Broken(problem) => {
            let meaning = format!("this derived file is broken and will be made anew: {problem}");
            Finding::repairable("derived_broken", &path, meaning, Repair::Remove)
        }
        CheckpointFile::OtherForm => {
            let meaning = "the checkpoint is of another version; it is ignored and made anew";
            Finding::note("checkpoint_stale", &path, meaning)
        }
        CheckpointFile::At(point) if log.reader.holds(point) => return,
        CheckpointFile::At(point) if point.seq() > log.last && point.place().end() > log.end => {
            let meaning = format!(
                "the log ends with record {}, but its checkpoint knows record {}: records at the end are missing",
                log.last,
                point.seq()
            );
            let log_path = dir.join(scorel_journal::EVENTS);
            Finding::damage("truncated", &log_path, meaning)
                .at(log.end, point.place().end() + 1 - log.end)
                .repaired_by(Repair::RewriteLog)
        }
        CheckpointFile::At(_) => {
            let meaning = "the checkpoint does not fit the log; it is ignored and made anew";
            Finding::note("checkpoint_stale", &path, meaning)
        }
    };
    found.push(finding);
}
