//! The preamble of every mutation, in one place and one order.

use std::sync::Arc;

use super::{Lane, Section};
use crate::receipts::ReceiptAnswer;
use crate::{MutationCommand, SessionError};

/// A change of a session that a client asks for. [`Lane::mutate`] carries it out.
pub trait Mutation: Send + Sync + 'static {
    type Reply: Send + 'static;

    /// Whether it is carried out while the daemon drains. Most are refused then, since they would
    /// start work that is about to be interrupted.
    const WHILE_DRAINING: bool = false;

    /// The command to look up among the receipts. `None` if receipts are kept elsewhere.
    fn command(&self) -> Option<&MutationCommand>;

    /// The reply to a command that was carried out before.
    fn repeat(&self, answer: &ReceiptAnswer, section: &Section<'_>) -> Option<Self::Reply>;

    /// Checks whether the session's health allows the change.
    ///
    /// # Errors
    ///
    /// Those of [`Section::check_usable`], unless the change is for sessions that cannot be used.
    fn check_health(&self, section: &Section<'_>) -> Result<(), SessionError> {
        section.check_usable()
    }

    /// Checks whether the session is too busy for it.
    ///
    /// # Errors
    ///
    /// [`SessionError::Busy`], mostly.
    fn check_busy(&self, _: &Section<'_>) -> Result<(), SessionError> {
        Ok(())
    }

    /// Checks whether the session is what the caller expects.
    ///
    /// # Errors
    ///
    /// The difference.
    fn check_expected(&self, _: &Section<'_>) -> Result<(), SessionError> {
        Ok(())
    }

    /// Makes the change. The record that it commits is the command's receipt.
    ///
    /// # Errors
    ///
    /// Those of [`Section::commit`], and what the mutation refuses.
    fn apply(self, section: &mut Section<'_>) -> Result<Self::Reply, SessionError>;
}

impl Lane {
    /// Carries out a mutation: exists → receipt → usable → draining → busy → expectations → apply.
    ///
    /// The receipt comes before every check that can change its mind: a command that was carried
    /// out gets its first answer, even if by now the session is busy or the daemon drains. Only a
    /// deleted session has no receipts left to look at. Drain comes before busy because `busy` tells
    /// a client to retry here, and this daemon will not serve the retry.
    ///
    /// # Errors
    ///
    /// Those of the mutation; nothing has changed then.
    pub async fn mutate<M: Mutation>(
        self: &Arc<Self>,
        mutation: M,
    ) -> Result<M::Reply, SessionError> {
        self.section(move |section| {
            section.published().check_exists()?;
            if let Some(reply) = section.repeated(&mutation)? {
                return Ok(reply);
            }
            mutation.check_health(section)?;
            if section.lane.shared.is_draining() && !M::WHILE_DRAINING {
                return Err(SessionError::ShuttingDown);
            }
            mutation.check_busy(section)?;
            mutation.check_expected(section)?;
            mutation.apply(section)
        })
        .await?
    }
}

impl Section<'_> {
    fn repeated<M: Mutation>(&self, mutation: &M) -> Result<Option<M::Reply>, SessionError> {
        let Some(command) = mutation.command() else {
            return Ok(None);
        };
        let answer = self.lane.receipt(command)?;
        Ok(answer.and_then(|answer| mutation.repeat(&answer, self)))
    }
}
