use scorel_proto::{NoticeBody, SessionId, StorageStall};

use crate::SessionError;
use crate::damage::DamagedRange;

/// What keeps a session from being changed, or from existing.
#[derive(Debug)]
pub(super) struct Health {
    session_id: SessionId,
    /// Damage that no client has accepted yet.
    pub(super) damage: Vec<DamagedRange>,
    /// The reason why the session is `Failed` until it is loaded again.
    pub(super) failed: Option<String>,
    /// True if it failed because daemons have died of its recovery.
    pub(super) given_up: bool,
    pub(super) deleted: bool,
    /// The log could not be written when recovery tried to close what a crash left open. Nothing
    /// new may begin before recovery has run: a new turn would hide the interrupted one.
    pub(super) recovery_due: Option<String>,
    /// A step that is owed to the log waits until it can be written; with the reason.
    pub(super) stalled: Option<(String, StorageStall)>,
    /// The log is an older copy of the one that was there. The next turn records this.
    pub(super) older: Option<NoticeBody>,
}

impl Health {
    pub(super) const fn new(session_id: SessionId) -> Self {
        Self {
            session_id,
            damage: Vec::new(),
            failed: None,
            given_up: false,
            deleted: false,
            recovery_due: None,
            stalled: None,
            older: None,
        }
    }

    /// The check before reading.
    pub(super) const fn check_exists(&self) -> Result<(), SessionError> {
        if self.deleted {
            Err(SessionError::NotFound(self.session_id))
        } else {
            Ok(())
        }
    }

    /// The check before any change.
    pub(super) fn check_usable(&self) -> Result<(), SessionError> {
        if self.failed.is_none() && !self.deleted && !self.damage.is_empty() {
            return Err(SessionError::Damaged {
                session_id: self.session_id,
                places: self.damage.clone(),
            });
        }
        self.check_usable_despite_damage()
    }

    /// The check before damage is accepted.
    pub(super) fn check_usable_despite_damage(&self) -> Result<(), SessionError> {
        self.check_exists()?;
        match (&self.failed, &self.recovery_due) {
            (Some(reason), _) => Err(SessionError::Failed {
                session_id: self.session_id,
                reason: reason.clone(),
            }),
            (None, Some(reason)) => Err(SessionError::Stalled(reason.clone())),
            (None, None) => Ok(()),
        }
    }

    /// The first row of the phase table.
    pub(super) const fn is_failed(&self) -> bool {
        self.failed.is_some() || !self.damage.is_empty()
    }

    /// `problem` of the session's description, unless its job waits for something else.
    pub(super) fn problem(&self) -> Option<String> {
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
            (None, None) => {
                let stalled = self.stalled.as_ref();
                let stalled =
                    stalled.map(|(reason, _)| format!("the log cannot be written: {reason}"));
                stalled.or_else(|| self.older.as_ref().map(|older| older.text.clone()))
            }
        }
    }
}
