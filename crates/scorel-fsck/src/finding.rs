use std::fmt;
use std::path::{Path, PathBuf};

use scorel_proto::SessionId;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Severity {
    /// Written data is lost or altered.
    Damage,
    /// Wrong, and repairable without loss.
    Repairable,
    /// For information; nothing is wrong.
    Note,
}

/// A range of bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct ByteRange {
    pub(crate) offset: u64,
    pub(crate) length: u64,
}

/// A repair, applied by `repair`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Repair {
    SetMode(u32),
    Remove,
    /// Removes an empty directory.
    RemoveDirectory,
    /// Moves the incomplete last line of a log to a file of its own.
    MoveTail,
    /// Replaces a log by one with its intact records.
    RewriteLog,
    /// Replaces the receipts by the intact ones.
    RewriteReceipts,
}

/// One result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) severity: Severity,
    /// Stable: scripts match on it.
    pub(crate) code: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) span: Option<ByteRange>,
    pub(crate) session: Option<SessionId>,
    /// The meaning for people, in one sentence.
    pub(crate) meaning: String,
    pub(crate) repair: Option<Repair>,
}

impl Finding {
    fn new(severity: Severity, code: &'static str, path: &Path, meaning: String) -> Self {
        Self {
            severity,
            code,
            path: path.to_owned(),
            span: None,
            session: None,
            meaning,
            repair: None,
        }
    }

    pub(crate) fn damage(code: &'static str, path: &Path, meaning: impl Into<String>) -> Self {
        Self::new(Severity::Damage, code, path, meaning.into())
    }

    pub(crate) fn repairable(
        code: &'static str,
        path: &Path,
        meaning: impl Into<String>,
        repair: Repair,
    ) -> Self {
        Self::new(Severity::Repairable, code, path, meaning.into()).repaired_by(repair)
    }

    /// A file that the daemon recreates is not as it should be.
    pub(crate) fn derived_broken(path: &Path, problem: &str) -> Self {
        let meaning = format!("this derived file is damaged and will be recreated: {problem}");
        Self::repairable("derived_broken", path, meaning, Repair::Remove)
    }

    pub(crate) fn note(code: &'static str, path: &Path, meaning: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, path, meaning.into())
    }

    pub(crate) const fn at(mut self, offset: u64, length: u64) -> Self {
        self.span = Some(ByteRange { offset, length });
        self
    }

    pub(crate) fn repaired_by(mut self, repair: Repair) -> Self {
        self.repair = Some(repair);
        self
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Damage => "damage",
            Self::Repairable => "repairable",
            Self::Note => "note",
        })
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SetMode(mode) => write!(f, "sets the mode to {mode:04o}"),
            Self::Remove => f.write_str("removes the file"),
            Self::RemoveDirectory => f.write_str("removes the empty directory"),
            Self::MoveTail => f.write_str("moves the line to events.jsonl.torn-<offset>"),
            Self::RewriteLog => f.write_str(
                "replaces the log by its intact records, and keeps it as it was in events.jsonl.before-repair-<seq>",
            ),
            Self::RewriteReceipts => f.write_str(
                "replaces the receipts by those that are intact, and keeps the file as it was in receipts.jsonl.before-repair-<ms>",
            ),
        }
    }
}
