use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::Path;

use scorel_journal::Storage;
use scorel_proto::{ProjectId, SessionId};
use serde::{Deserialize, Serialize};

use super::indexed_session::IndexedSession;
use super::ledger::UsageLedger;
use crate::json_file::read_json;

/// How large the file may be, in bytes. A larger one is made anew from the logs.
const MAX_BYTES: u64 = 512 * 1024 * 1024;

/// The file's content.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct UsageFile {
    pub(super) sessions: HashMap<SessionId, IndexedSession>,
    /// What deleted sessions used. No log has it any more.
    pub(super) deleted: BTreeMap<ProjectId, UsageLedger>,
}

pub(super) fn read(storage: &dyn Storage, path: &Path) -> io::Result<UsageFile> {
    read_json(storage, path, MAX_BYTES)
}
