use std::time::{Duration, SystemTime};

use scorel_proto::{Phase, Session, SessionId, StorageStall};
use tokio::time::{Instant, sleep_until};

use super::sessions::age;
use crate::daemon::DaemonClient;
use crate::target;

/// The time that a stream is quiet before the session is asked whether its log can be written. Models pause for
/// longer than this, so the question must stay cheap; the daemon answers it from memory.
const QUIET: Duration = Duration::from_secs(3);

/// Notices that a session waits for its storage, for file descriptors, or for a place of a runner. No
/// event reports these: one would have to be stored.
#[derive(Debug)]
pub(super) struct StallWatch {
    next: Instant,
    /// The last problem that was reported, until it is over.
    told: Option<Told>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Told {
    /// A stalled log, by its start: its reason may change while it lasts.
    Storage(u64),
    Wait(String),
}

impl StallWatch {
    pub(super) fn new() -> Self {
        Self {
            next: Instant::now() + QUIET,
            told: None,
        }
    }

    /// Something has arrived on the stream.
    pub(super) fn heard(&mut self) {
        self.next = Instant::now() + QUIET;
    }

    /// Completes when it is time to look.
    pub(super) async fn quiet(&self) {
        sleep_until(self.next).await;
    }

    /// The message for the user, if it has changed. A lost connection is reported by the stream.
    pub(super) async fn look(
        &mut self,
        control: &mut DaemonClient,
        session_id: SessionId,
    ) -> Option<String> {
        self.heard();
        self.changed(target::get_now(control, session_id).await?)
    }

    fn changed(&mut self, session: Session) -> Option<String> {
        let problem = session.problem.filter(|_| session.phase != Phase::Failed);
        let (now, text) = match (problem, session.storage_stalled) {
            (problem, Some(stall)) => {
                let text = stall_text(&problem.unwrap_or_default(), &stall);
                (Some(Told::Storage(stall.since)), Some(text))
            }
            (Some(problem), None) => (Some(Told::Wait(problem.clone())), Some(problem)),
            (None, None) => (None, None),
        };
        let before = std::mem::replace(&mut self.told, now.clone());
        match (before, now) {
            (Some(Told::Storage(_)), None) => Some("the log can be written again".to_owned()),
            (before, now) if before != now => text,
            _ => None,
        }
    }
}

/// A stall in one line.
pub(super) fn stall_text(problem: &str, stall: &StorageStall) -> String {
    let since = age(stall.since, SystemTime::now());
    let waits = match &stall.unsaved {
        Some(unsaved) => format!(
            "a record ({}, {} bytes) waits in memory and is written as soon as that is possible",
            unsaved.kind, unsaved.bytes
        ),
        None => "the session continues as soon as that is possible".to_owned(),
    };
    format!("{problem} (for {since}); {waits}")
}

#[cfg(test)]
mod tests {
    use scorel_proto::UnsavedRecord;

    use super::*;

    #[test]
    fn a_stall_says_why_and_what_waits() {
        let unsaved = UnsavedRecord {
            kind: "message".to_owned(),
            bytes: 204_800,
        };
        let stall = StorageStall {
            since: u64::MAX,
            unsaved: Some(unsaved),
        };
        let text = stall_text("the log cannot be written: no space", &stall);
        assert_eq!(
            text,
            "the log cannot be written: no space (for 0s); a record (message, 204800 bytes) waits \
             in memory and is written as soon as that is possible"
        );
    }
}
