use scorel_journal::{Index, Journal};
use scorel_proto::{SessionId, SessionView};

use super::damage::DamagedPlace;
use super::log::Log;
use crate::SessionError;
use crate::receipts::Receipts;
use crate::spool::Spool;

/// What a lane's critical section owns.
#[derive(Debug)]
pub(crate) struct LaneState {
    pub(crate) session_id: SessionId,
    pub(crate) log: Log,
    pub(crate) view: SessionView,
    pub(crate) index: Index,
    pub(crate) receipts: Receipts,
    pub(crate) spool: Spool,
    /// The places of the log that are damaged and that nobody has accepted.
    pub(crate) damage: Vec<DamagedPlace>,
    /// Why the session cannot go on.
    pub(crate) failed: Option<String>,
    pub(crate) deleted: bool,
    /// What a crash left open could not be closed yet, for this reason. Nothing new begins before.
    pub(crate) recovery_due: Option<String>,
    /// A message was accepted after the running turn was cancelled: the pause that its outcome
    /// brings is lifted at once.
    pub(crate) lift_pause: bool,
    /// The length of the log at the last checkpoint, in bytes.
    pub(crate) checkpointed: u64,
}

impl LaneState {
    /// Whether the session exists, for reading.
    pub(crate) fn check_exists(&self) -> Result<(), SessionError> {
        if self.deleted {
            Err(SessionError::NotFound(self.session_id))
        } else {
            Ok(())
        }
    }

    /// Whether the session can be changed.
    pub(crate) fn check_usable(&self) -> Result<(), SessionError> {
        self.check_exists()?;
        match (&self.failed, &self.recovery_due) {
            (Some(reason), _) => Err(self.failure(reason)),
            (None, _) if !self.damage.is_empty() => Err(SessionError::Damaged {
                session_id: self.session_id,
                places: self.damage.clone(),
            }),
            (None, Some(reason)) => Err(SessionError::Stalled(reason.clone())),
            (None, None) => Ok(()),
        }
    }

    /// The log, to be written.
    pub(crate) fn journal(&mut self) -> Result<&mut Journal, SessionError> {
        let session_id = self.session_id;
        self.log.writable().ok_or_else(|| SessionError::Failed {
            session_id,
            reason: "the log can only be read".to_owned(),
        })
    }

    /// What keeps the session from being used, in words.
    pub(crate) fn problem(&self) -> Option<String> {
        match (&self.failed, self.damage.first()) {
            (Some(reason), _) => Some(reason.clone()),
            (None, Some(first)) => {
                let more = self.damage.len() - 1;
                let more = if more == 0 {
                    String::new()
                } else {
                    format!(", and {more} more places")
                };
                Some(format!("the log is damaged {first}{more}"))
            }
            (None, None) => None,
        }
    }

    pub(crate) fn failure(&self, reason: &str) -> SessionError {
        SessionError::Failed {
            session_id: self.session_id,
            reason: reason.to_owned(),
        }
    }
}
