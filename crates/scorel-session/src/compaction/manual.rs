use std::sync::Arc;

use scorel_engine::StopSignal;
use scorel_proto::CompactResult;

use super::Compaction;
use crate::lane::{CompactRequest, Lane};
use crate::{MutationCommand, SessionError};

impl Lane {
    /// Begins a compaction of an idle session. It is recorded when this returns; the summary is made
    /// on its own.
    ///
    /// # Errors
    ///
    /// [`SessionError::Busy`] while a turn runs or messages wait,
    /// [`SessionError::NothingToCompact`] if the conversation is short,
    /// [`SessionError::NotPrepared`] if the model cannot be used, otherwise see [`SessionError`].
    /// Nothing has changed then.
    pub async fn compact(
        self: &Arc<Self>,
        command: MutationCommand,
        instructions: Option<String>,
    ) -> Result<CompactResult, SessionError> {
        loop {
            let leaf = self.published().view().leaf();
            // Looked up before the section, which must not wait for the model's key; judged in it,
            // after the receipt of an earlier call.
            let possible = self.can_compact(instructions.clone()).await;
            let request = CompactRequest {
                command: command.clone(),
                instructions: instructions.clone(),
                leaf,
                possible,
            };
            if let Some(result) = self.begin_compaction(request).await? {
                return Ok(result);
            }
            // The conversation has moved on meanwhile.
        }
    }

    /// The model that a compaction would ask, if there is something to summarise.
    async fn can_compact(
        self: &Arc<Self>,
        instructions: Option<String>,
    ) -> Result<String, SessionError> {
        let prepared = self.prepare_outside_turn().await?;
        let (ports, setup) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => return Err(self.not_prepared(error)),
        };
        let compaction = Compaction {
            lane: Arc::clone(self),
            ports,
            setup,
            stop: StopSignal::new(),
            turn_id: None,
            instructions,
        };
        match compaction.plan().await? {
            Some(plan) => Ok(plan.model()),
            None => Err(SessionError::NothingToCompact),
        }
    }
}
