use std::sync::Arc;

use scorel_proto::{
    CompactResult, CompactionBody, CompactionId, CompactionState, CompactionTrigger, EventId,
    PersistentBody,
};

use super::mutate::Mutation;
use super::send::is_busy;
use super::{EventDraft, Job, Lane, Section};
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

/// `compact`.
#[derive(Debug)]
pub(crate) struct CompactRequest {
    pub(crate) command: MutationCommand,
    pub(crate) instructions: Option<String>,
    /// The active leaf for which it was looked up whether there is something to summarise.
    pub(crate) leaf: Option<EventId>,
    /// Whether there is, and the model that is asked.
    pub(crate) possible: Result<String, SessionError>,
}

impl Lane {
    /// Records a compaction and starts its job. `None` if the leaf is not that of the request.
    pub(crate) async fn begin_compaction(
        self: &Arc<Self>,
        request: CompactRequest,
    ) -> Result<Option<CompactResult>, SessionError> {
        self.mutate(request).await
    }

    /// What the user adds to the request for a summary.
    pub(crate) fn compaction_instructions(&self) -> Option<String> {
        self.view(|view| {
            let open = view.state.compaction.as_ref();
            open.and_then(|open| open.instructions.clone())
        })
    }
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
        if is_busy(section) {
            return Err(section.busy());
        }
        Ok(())
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
        let seq = section.commit(EventDraft::new(body).by(&self.command))?.seq;
        section.lane.compaction_breaker(|breaker| breaker.reset());
        section.begin_job(Job::Compaction(compaction_id));
        Ok(Some(CompactResult { seq, compaction_id }))
    }
}
