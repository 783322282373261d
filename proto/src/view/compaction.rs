use serde::{Deserialize, Serialize};

use crate::{CompactionId, TurnId};

/// A compaction that was recorded and has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenCompaction {
    /// The compaction.
    pub compaction_id: CompactionId,
    /// The turn that it makes room for; `None` if a client asked for it.
    pub turn_id: Option<TurnId>,
    /// The instructions that the user adds to the request for a summary.
    pub instructions: Option<String>,
}
