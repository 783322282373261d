use std::collections::BTreeMap;

use scorel_proto::ClientId;
use serde::{Deserialize, Serialize};

use super::item_files::ItemFiles;

/// By their names.
pub(super) type TrustedItems = BTreeMap<String, TrustEntry>;

/// An item that was trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrustEntry {
    pub(super) digest: String,
    /// The digest of what the project's configuration said of it. Not the text, which may have secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) config: Option<String>,
    pub(super) files: ItemFiles,
    /// When, in milliseconds since 1970.
    pub(super) at: u64,
    /// The client that said so.
    pub(super) by: ClientId,
}
