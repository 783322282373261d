//! The mutations that begin a restore of files.

use scorel_proto::{
    EventId, FilesRestoreBody, OnConflict, PersistentBody, PersistentEvent, RestoreScope, Seq,
};

use super::plan::RestorePlan;
use super::task::RestoreJob;
use crate::lane::{EventDraft, JobName, MoveLeaf, Mutation, Section};
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

/// From where on changes of files are taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RestorePoint {
    /// Any record.
    Before(EventId),
    /// The turn that ends at this event; `None` for the beginning of the session.
    After(Option<EventId>),
}

/// Which files a restore is about.
#[derive(Debug, Clone, Copy, Default)]
pub struct RestoreChoice {
    pub scope: RestoreScope,
    pub on_conflict: OnConflict,
}

/// A restore whose record is durable. It goes on by itself.
#[derive(Debug)]
#[must_use]
pub struct BegunRestore {
    pub(super) event: PersistentEvent,
    pub(super) point: RestorePoint,
}

/// What an attempt to begin a restore led to.
pub(super) enum RestoreStep {
    /// It was carried out before, or is being carried out; the seq of its record.
    Repeated(Seq),
    NeedsPlan,
    Begun(Box<PersistentEvent>),
}

/// `restoreFiles`.
#[derive(Debug)]
pub(super) struct BeginRestore {
    pub(super) command: MutationCommand,
    pub(super) before_event_id: EventId,
    pub(super) scope: RestoreScope,
    /// Made after the first attempt, so that a session that is busy reads nothing.
    pub(super) plan: Option<RestorePlan>,
}

impl Mutation for BeginRestore {
    type Reply = RestoreStep;

    fn command(&self) -> Option<&MutationCommand> {
        Some(&self.command)
    }

    fn repeat(&self, answer: &ReceiptAnswer, _: &Section<'_>) -> Option<Self::Reply> {
        answer.done().map(RestoreStep::Repeated)
    }

    fn check_busy(&self, section: &Section<'_>) -> Result<(), SessionError> {
        section.check_idle()
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        let Some(plan) = self.plan.filter(|plan| plan.is_current(section)) else {
            return Ok(RestoreStep::NeedsPlan);
        };
        let body = PersistentBody::FilesRestore(FilesRestoreBody {
            before_event_id: self.before_event_id,
            scope: self.scope,
            files: plan.files,
        });
        let draft = EventDraft::new(body).by(&self.command);
        let begun = begin(section, draft)?;
        Ok(RestoreStep::Begun(Box::new(begun)))
    }
}

/// A move of the leaf that restores files.
#[derive(Debug)]
pub(super) struct MoveAndRestore {
    pub(super) leaf: MoveLeaf,
    /// As of [`BeginRestore`].
    pub(super) plan: Option<RestorePlan>,
}

impl Mutation for MoveAndRestore {
    type Reply = RestoreStep;

    fn command(&self) -> Option<&MutationCommand> {
        self.leaf.command()
    }

    fn repeat(&self, answer: &ReceiptAnswer, section: &Section<'_>) -> Option<Self::Reply> {
        let seq = self.leaf.repeat(answer, section);
        seq.map(RestoreStep::Repeated)
    }

    fn check_busy(&self, section: &Section<'_>) -> Result<(), SessionError> {
        self.leaf.check_busy(section)
    }

    fn check_expected(&self, section: &Section<'_>) -> Result<(), SessionError> {
        self.leaf.check_expected(section)
    }

    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError> {
        let Some(plan) = self.plan.filter(|plan| plan.is_current(section)) else {
            return Ok(RestoreStep::NeedsPlan);
        };
        let begun = begin(section, self.leaf.draft(plan.files))?;
        section.leaf_moved();
        Ok(RestoreStep::Begun(Box::new(begun)))
    }
}

/// Commits the record of a restore (`files_restore`, `rewind` or `branch`) and starts the job that carries it
/// out, if it names files.
///
/// Everything in the record was planned when nothing else ran, and the plan is current.
fn begin(section: &mut Section<'_>, draft: EventDraft) -> Result<PersistentEvent, SessionError> {
    // Durably, before the record: the next daemon loads only the sessions on the list, and would
    // leave the files half restored.
    section.enter_active()?;
    let job = JobName::Restore(draft.id());
    let event = section.commit_first(draft, job)?;
    let open = section.view().state.restore;
    match open {
        Some(open) => section.begin_job(Box::new(RestoreJob(open))),
        None => section.announce(),
    }
    Ok(event)
}
