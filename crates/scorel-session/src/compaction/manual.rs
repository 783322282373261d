use std::sync::Arc;

use scorel_engine::StopSignal;
use scorel_proto::{
    CompactResult, CompactionBody, CompactionId, CompactionState, CompactionTrigger, EventId,
    PersistentBody,
};

use super::Compaction;
use super::job::CompactionJob;
use crate::lane::{EventDraft, JobName, Lane, Mutation, Section};
use crate::receipts::ReceiptAnswer;
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
            if let Some(result) = self.mutate(request).await? {
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
        let (ports, setup) = prepared.map_err(|error| self.not_prepared(error))?;
        let compaction = Compaction {
            lane: Arc::clone(self),
            ports,
            setup,
            stop: StopSignal::new(),
            turn_id: None,
            instructions,
            trigger: CompactionTrigger::Manual,
        };
        match compaction.plan().await? {
            Some(plan) => Ok(plan.model()),
            None => Err(SessionError::NothingToCompact),
        }
    }
}

/// `compact`.
#[derive(Debug)]
struct CompactRequest {
    command: MutationCommand,
    instructions: Option<String>,
    /// The active leaf for which it was looked up whether there is something to summarise.
    leaf: Option<EventId>,
    /// The model that is asked, or the reason against a compaction.
    possible: Result<String, SessionError>,
}

impl Mutation for CompactRequest {
    type Reply = Option<CompactResult>;

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.command)
    }

    fn repeat(&self, answer: &ReceiptAnswer, _: &Section<'_>) -> Option<Self::Reply> {
        match answer {
            ReceiptAnswer::CompactionStarted { seq, compaction_id } => Some(Some(CompactResult {
                seq: *seq,
                compaction_id: *compaction_id,
            })),
            _ => None,
        }
    }

    fn check_busy(&self, section: &Section<'_>) -> Result<(), SessionError> {
        section.check_idle()
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        if section.view().leaf() != self.leaf {
            return Ok(None);
        }
        let model = self.possible?;
        section.enter_active()?;
        let compaction_id = CompactionId::generate();
        let body = PersistentBody::Compaction(CompactionBody {
            trigger: Some(CompactionTrigger::Manual),
            model: Some(model),
            instructions: self.instructions,
            ..CompactionBody::new(compaction_id, CompactionState::Started)
        });
        let draft = EventDraft::new(body).by(&self.command);
        let job = JobName::Compaction(compaction_id);
        let seq = section.commit_first(draft, job)?.seq;
        section.lane().compaction_breaker(|breaker| breaker.reset());
        section.begin_job(Box::new(CompactionJob(compaction_id)));
        Ok(Some(CompactResult { seq, compaction_id }))
    }
}
