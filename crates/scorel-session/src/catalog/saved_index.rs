use std::collections::HashMap;

use scorel_proto::SessionId;

use super::entries::CatalogEntry;
use crate::locks::Leaf;

/// The index as the last daemon left it.
#[derive(Debug)]
pub(super) struct SavedIndex {
    /// The lengths of the logs, in bytes.
    pub(super) lengths: Leaf<HashMap<SessionId, u64>>,
    /// Empty once the catalogue has them.
    pub(super) entries: Leaf<HashMap<SessionId, CatalogEntry>>,
}

impl SavedIndex {
    pub(super) fn new(entries: Vec<CatalogEntry>) -> Self {
        let keyed = entries
            .into_iter()
            .map(|entry| (entry.session.session_id, entry));
        let entries: HashMap<_, _> = keyed.collect();
        let lengths = entries.iter();
        let lengths = lengths.filter_map(|(id, entry)| Some((*id, entry.log_bytes?)));
        Self {
            lengths: Leaf::new(lengths.collect()),
            entries: Leaf::new(entries),
        }
    }
}
