//! The state file.

use std::collections::BTreeSet;

use scorel_home::{FormatVersion, Need, StateBody, StateKind};
use scorel_proto::SessionId;
use serde::{Deserialize, Serialize};

/// A feature of the product has this as a row of `STATE_FILES`.
pub const PINS: StateKind = StateKind {
    place: "pins.json",
    version: Some(1),
    max_bytes: 16 * 1024 * 1024,
    need: Need::Use,
    cure: "restore it from a backup, or remove it and pin the files again",
};

/// The sessions that may have pinned files. One is added before its first record, so that none is missing
/// after a crash.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct PinnedSessions {
    version: FormatVersion<1>,
    pub(crate) sessions: BTreeSet<SessionId>,
}

impl StateBody for PinnedSessions {
    const KIND: &'static StateKind = &PINS;
}
