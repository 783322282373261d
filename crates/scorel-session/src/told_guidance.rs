use std::sync::Arc;

use scorel_proto::{
    CustomMessageBody, GuidanceKind, InstructionPart, InstructionSnapshotBody, PersistentBody,
    PersistentEvent, Seq, TurnId,
};

use crate::lane::{EventDraft, Lane};
use crate::{Guidance, KnownGuidance, SessionError};

impl Lane {
    /// What the model has been told besides the conversation, read from the log.
    ///
    /// # Errors
    ///
    /// If the snapshot cannot be read: another one in its place would be another prompt.
    pub(crate) async fn known_guidance(self: &Arc<Self>) -> Result<KnownGuidance, SessionError> {
        self.read_log(Self::read_guidance).await
    }

    fn read_guidance(&self) -> Result<KnownGuidance, SessionError> {
        let (snapshot, guidance, tool_set) = self.view(|view| {
            let fold = &view.state;
            let tool_set = fold.tool_set.as_ref().map(|told| told.body.clone());
            (fold.snapshot_seq, fold.guidance.clone(), tool_set)
        });
        let message = |kind| match guidance.newest(kind) {
            Some(seq) => Ok(self.read_event(seq)?.and_then(message_data)),
            None => Ok::<_, SessionError>(None),
        };
        Ok(KnownGuidance {
            snapshot: snapshot.map(|seq| self.read_snapshot(seq)).transpose()?,
            // A damaged one is said again.
            changes: message(GuidanceKind::Instructions)?,
            skills: message(GuidanceKind::Skills)?,
            mcp_instructions: message(GuidanceKind::McpInstructions)?,
            refresh: guidance.refresh,
            tool_set,
            tools_due: guidance.tools_due,
            tools: message(GuidanceKind::Tools)?,
            refused_tools: Vec::new(),
            epoch: guidance.epoch,
        })
    }

    fn read_snapshot(&self, seq: Seq) -> Result<Vec<InstructionPart>, SessionError> {
        match self.read_event(seq)?.map(|event| event.body) {
            Some(PersistentBody::InstructionSnapshot(body)) => Ok(body.parts),
            Some(_) => Err(SessionError::Internal(
                "the index names another record as the instruction snapshot".to_owned(),
            )),
            None => Err(SessionError::Filesystem(
                "the instructions of the session are damaged in the log".to_owned(),
            )),
        }
    }

    /// Records guidance for the model, and returns the system prompt of the calls that follow.
    ///
    /// Instructions are the prefix of every request, and a provider's cache holds only for an unchanged
    /// prefix. So they are frozen in a snapshot, and what changes later becomes a message.
    pub(crate) async fn tell_model(
        self: &Arc<Self>,
        turn_id: TurnId,
        known: KnownGuidance,
        guidance: Guidance,
    ) -> Result<String, SessionError> {
        // One record a step: a step is repeated while the disk is full. The tools come first: the snapshot ends a wish for
        // new instructions.
        if let Some(tools) = guidance.tool_set {
            let draft = EventDraft::new(PersistentBody::ToolSet(tools));
            self.persist_event(draft.in_turn(turn_id)).await?;
        }
        let parts = match guidance.snapshot {
            Some(parts) => {
                let body = InstructionSnapshotBody {
                    parts: parts.clone(),
                };
                let draft = EventDraft::new(PersistentBody::InstructionSnapshot(body));
                self.persist_event(draft.in_turn(turn_id)).await?;
                parts
            }
            None => known.snapshot.unwrap_or_default(),
        };
        for message in guidance.messages {
            let draft = EventDraft::new(PersistentBody::CustomMessage(message));
            self.persist_event(draft.in_turn(turn_id)).await?;
        }
        Ok(InstructionSnapshotBody { parts }.text())
    }
}

fn message_data(event: PersistentEvent) -> Option<serde_json::Value> {
    match event.body {
        PersistentBody::CustomMessage(CustomMessageBody { data, .. }) => data,
        _ => None,
    }
}
