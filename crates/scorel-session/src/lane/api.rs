//! What clients can ask of a session.

use std::sync::Arc;

use scorel_proto::{
    AppendCustomMessageResult, AppendResult, CancelResult, CustomBody, CustomMessageBody, EventId,
    PermissionDecisionBody, Phase, QueueEdit, RewriteQueueResult, SendMessageResult, Seq, Session,
    SessionChanges, StorageStall, TurnId,
};

use super::accept::AcceptDamage;
use super::append::Append;
use super::append_message::AppendMessage;
use super::cancel::CancelAndClear;
use super::delete::{DeleteSession, MoveDirectoryAway};
use super::end_wait::EndWait;
use super::forget_context::ForgetContext;
use super::move_leaf::{LeafTarget, MoveLeaf};
use super::respond::PermissionResponse;
use super::rewrite::QueueRewrite;
use super::send::sent;
use super::update::UpdateRequest;
use super::{Lane, SendRequest};
use crate::{MutationCommand, SessionError};

impl Lane {
    /// The session's description.
    ///
    /// # Errors
    ///
    /// [`SessionError::NotFound`] if the session was deleted.
    pub fn session(&self) -> Result<Session, SessionError> {
        let published = self.published();
        published.check_exists()?;
        Ok(published.describe())
    }

    /// The phase, and the open turn.
    #[must_use]
    pub fn phase(&self) -> (Phase, Option<TurnId>) {
        let published = self.published();
        (published.phase(), published.turn_id())
    }

    /// Since when the log cannot be written, and what waits for that.
    #[must_use]
    pub fn storage_stall(&self) -> Option<StorageStall> {
        self.published().storage_stall()
    }

    /// Accepts a message. It is durable when this returns; the turn runs on its own.
    ///
    /// # Errors
    ///
    /// See [`SessionError`]; nothing has changed then, with one exception: if the log fails between
    /// the record of another model and that of the message, the session keeps the model.
    pub async fn send(
        self: &Arc<Self>,
        request: SendRequest,
    ) -> Result<SendMessageResult, SessionError> {
        self.mutate(request).await
    }

    /// The answer to a message that was accepted before, under the same command id.
    ///
    /// For a caller that prepares a message at a cost; [`Lane::send`] looks again.
    ///
    /// # Errors
    ///
    /// [`SessionError::NotFound`] if the session was deleted, [`SessionError::Conflict`] if the id was
    /// used for another command.
    pub fn sent_before(
        &self,
        command: &MutationCommand,
    ) -> Result<Option<SendMessageResult>, SessionError> {
        let published = self.published();
        published.check_exists()?;
        let answer = published.state().fold.receipts.find(command)?;
        Ok(answer.and_then(sent))
    }

    /// Changes the queue: all edits or none.
    ///
    /// # Errors
    ///
    /// [`SessionError::QueueChanged`] if the queue is not at `expected_version`,
    /// [`SessionError::InvalidParams`] if an edit names an item that does not wait, otherwise see
    /// [`SessionError`]; nothing has changed then.
    pub async fn rewrite_queue(
        self: &Arc<Self>,
        command: MutationCommand,
        expected_version: u64,
        edits: Vec<QueueEdit>,
    ) -> Result<RewriteQueueResult, SessionError> {
        self.mutate(QueueRewrite {
            command,
            expected_version,
            edits,
        })
        .await
    }

    /// Moves the leaf back to an ancestor of it at which a finished turn ends; `None` empties the
    /// conversation.
    ///
    /// # Errors
    ///
    /// In this order: [`SessionError::Busy`], [`SessionError::LeafMoved`],
    /// [`SessionError::InvalidTarget`], [`SessionError::Summarised`]. Nothing has changed then.
    pub async fn rewind(
        self: &Arc<Self>,
        command: MutationCommand,
        target: Option<EventId>,
        expected_leaf: Option<EventId>,
    ) -> Result<Seq, SessionError> {
        self.mutate(MoveLeaf {
            command,
            target: LeafTarget::Ancestor(target),
            expected_leaf,
        })
        .await
    }

    /// Moves the leaf to the end of a finished turn on another branch.
    ///
    /// # Errors
    ///
    /// As [`Lane::rewind`], but for the last one.
    pub async fn branch(
        self: &Arc<Self>,
        command: MutationCommand,
        leaf: EventId,
        expected_leaf: Option<EventId>,
    ) -> Result<Seq, SessionError> {
        self.mutate(MoveLeaf {
            command,
            target: LeafTarget::Branch(leaf),
            expected_leaf,
        })
        .await
    }

    /// Records data beside the conversation.
    ///
    /// # Errors
    ///
    /// See [`SessionError`]; nothing has changed then.
    pub async fn append_custom(
        self: &Arc<Self>,
        command: MutationCommand,
        body: CustomBody,
    ) -> Result<AppendResult, SessionError> {
        self.mutate(Append { command, body }).await
    }

    /// Adds a message to the conversation without starting a turn. An open turn gets it as a steer.
    ///
    /// # Errors
    ///
    /// [`SessionError::Busy`] while a turn is being cancelled or another job runs, otherwise see
    /// [`SessionError`].
    pub async fn append_custom_message(
        self: &Arc<Self>,
        command: MutationCommand,
        body: CustomMessageBody,
    ) -> Result<AppendCustomMessageResult, SessionError> {
        self.mutate(AppendMessage { command, body }).await
    }

    /// Changes title, model, thinking level, tools, `onRestart` or the archived flag.
    ///
    /// # Errors
    ///
    /// See [`SessionError`]; nothing has changed then.
    pub async fn update(
        self: &Arc<Self>,
        command: MutationCommand,
        changes: SessionChanges,
    ) -> Result<(Seq, Session), SessionError> {
        self.mutate(UpdateRequest { command, changes }).await
    }

    /// Answers a permission request. The first answer counts; it is durable when this returns.
    ///
    /// # Errors
    ///
    /// [`SessionError::Answered`] or [`SessionError::NotAsked`] if the request is not open,
    /// [`SessionError::InvalidParams`] if it cannot be answered like that, otherwise see
    /// [`SessionError`]. Nothing is decided then.
    pub async fn respond(
        self: &Arc<Self>,
        command: MutationCommand,
        decision: PermissionDecisionBody,
    ) -> Result<Seq, SessionError> {
        self.mutate(PermissionResponse { command, decision }).await
    }

    /// Ends the wait of a turn. Its call is made again at once.
    ///
    /// # Errors
    ///
    /// [`SessionError::Conflict`] if that turn does not wait, otherwise see [`SessionError`]. Nothing
    /// has changed then.
    pub async fn end_wait(
        self: &Arc<Self>,
        command: MutationCommand,
        expected: TurnId,
    ) -> Result<Seq, SessionError> {
        self.mutate(EndWait { command, expected }).await
    }

    /// Gives up the context that a runner keeps of the session, and the process that waits in it. `None`
    /// if there is none.
    ///
    /// # Errors
    ///
    /// [`SessionError::Busy`] while the runner runs a turn, otherwise see [`SessionError`]. Nothing has
    /// changed then.
    pub async fn forget_context(
        self: &Arc<Self>,
        command: MutationCommand,
        runner: String,
    ) -> Result<Option<Seq>, SessionError> {
        self.mutate(ForgetContext { command, runner }).await
    }

    /// Accepts a damaged place. The session goes on when none is left.
    ///
    /// # Errors
    ///
    /// [`SessionError::Conflict`] if no such place waits to be accepted.
    pub async fn accept_damage(
        self: &Arc<Self>,
        command: MutationCommand,
        offset: u64,
        length: u64,
    ) -> Result<Seq, SessionError> {
        self.mutate(AcceptDamage {
            command,
            offset,
            length,
        })
        .await
    }

    /// Signals the running job, if it is the expected turn or none is expected, and returns whether it took
    /// the signal. The turn's outcome says what came of it; see [`Lane::record_cancelled_restore`] for a restore.
    ///
    /// Acknowledged from memory: it waits neither for the lane nor for the disk.
    #[must_use]
    pub fn cancel(self: &Arc<Self>, expected: Option<TurnId>) -> bool {
        if self.job.cancel(expected).is_none() {
            return false;
        }
        // The phase has changed without a record. Listings are told as soon as the lane is free.
        let lane = Arc::clone(self);
        self.shared.tasks.spawn(async move {
            lane.lock().await.section().announce();
        });
        true
    }

    /// Signals the running turn and empties the queue in one step. If another turn than the expected
    /// one is open, nothing happens.
    ///
    /// # Errors
    ///
    /// If the queue's change could not be recorded. The signal stands all the same; see
    /// [`SessionError::CancelNotRecorded`].
    pub async fn cancel_and_clear(
        self: &Arc<Self>,
        command: MutationCommand,
        expected: Option<TurnId>,
    ) -> Result<CancelResult, SessionError> {
        self.mutate(CancelAndClear {
            command,
            expected,
            clears: true,
            stops_children: false,
        })
        .await
    }

    /// Signals the running turn, stops the session's runtimes, and empties the queue if `clears`, in one
    /// step. If another turn than the expected one is open, nothing happens.
    ///
    /// # Errors
    ///
    /// As [`Lane::cancel_and_clear`].
    pub async fn cancel_with_children(
        self: &Arc<Self>,
        command: MutationCommand,
        expected: Option<TurnId>,
        clears: bool,
    ) -> Result<CancelResult, SessionError> {
        self.mutate(CancelAndClear {
            command,
            expected,
            clears,
            stops_children: true,
        })
        .await
    }

    /// Deletes the session unless a turn runs. `way` takes its directory away.
    pub(crate) async fn delete<T: Send + 'static>(
        self: &Arc<Self>,
        way: MoveDirectoryAway<T>,
    ) -> Result<T, SessionError> {
        self.mutate(DeleteSession(way)).await
    }
}
