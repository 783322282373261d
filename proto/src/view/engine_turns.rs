use serde::{Deserialize, Serialize};

use crate::{
    BlobHash, DueEngineTurn, ENGINE_TURN_KIND, Message, PersistentBody, PersistentEvent,
    RequestProof, SessionRun, TurnId,
};

/// The model calls of a workflow run, as far as a session has made them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EngineTurns {
    /// The number of those with a record.
    pub recorded: u64,
    /// The last call, if its record is missing.
    pub due: Option<DueEngineTurn>,
    /// The tools of the last request.
    pub tools: Option<BlobHash>,
    /// The turn of the last call, and the number of its calls.
    latest: Option<(TurnId, u32)>,
}

impl EngineTurns {
    /// Folds the next event of the session, with the run as it stood before.
    pub(super) fn fold(&mut self, event: &PersistentEvent, run: &SessionRun) {
        match &event.body {
            PersistentBody::Message(body) => {
                if let (Message::Assistant(answer), Some(turn_id)) = (&body.message, event.turn_id)
                    && let Some(request) = &answer.meta.request
                {
                    self.tools = Some(request.tool_set_digest.clone());
                    self.due = Some(DueEngineTurn {
                        turn_id,
                        turn_index: self.next_of(turn_id),
                        phase: run.phase,
                        node_id: run.node_id.clone(),
                        leaf_id: event.parent_id,
                        request: RequestProof::clone(request),
                        stop_reason: answer.stop_reason,
                    });
                }
            }
            PersistentBody::Custom(body) if body.kind == ENGINE_TURN_KIND => {
                self.recorded = self.recorded.saturating_add(1);
                self.due = None;
            }
            _ => {}
        }
    }

    /// Counts a call of a turn, and returns its place.
    fn next_of(&mut self, turn_id: TurnId) -> u32 {
        let before = match self.latest {
            Some((latest, calls)) if latest == turn_id => calls,
            _ => 0,
        };
        self.latest = Some((turn_id, before.saturating_add(1)));
        before
    }
}
