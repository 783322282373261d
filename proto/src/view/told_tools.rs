use serde::{Deserialize, Serialize};

use crate::{Seq, ToolSetBody};

/// The newest `tool_set` of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldTools {
    /// The event's number.
    pub seq: Seq,
    /// Its content.
    pub body: ToolSetBody,
}

impl ToldTools {
    pub(super) fn new(seq: Seq, body: &ToolSetBody) -> Self {
        let body = body.clone();
        Self { seq, body }
    }
}
