use scorel_proto::{ActiveSession, Phase, SessionId, SessionsByPhase};

use super::Sessions;

/// The loaded sessions at one moment each, for status reports.
#[derive(Debug, Default)]
pub struct SessionsOverview {
    /// Sessions that are busy, that cannot write their logs, or whose recovery killed daemons.
    pub active: Vec<ActiveSession>,
    pub by_phase: SessionsByPhase,
    /// Permission requests that wait for an answer.
    pub questions: u32,
    /// Sessions whose logs cannot be written.
    pub stalled: u32,
}

impl Sessions {
    /// Reads the published state, so it waits for no session whose record is being synced.
    pub fn overview(&self) -> SessionsOverview {
        let mut overview = SessionsOverview::default();
        for lane in self.lanes() {
            let published = lane.published();
            let questions = published.view().state.permissions.len();
            overview.add(published.active(), questions, published.is_given_up());
        }
        overview
    }

    /// Takes the locks that every read takes, one after the other. Calls `at` before each: of the map of
    /// sessions without an id, of a session with its id. For a watchdog: does not return while one cannot
    /// be had.
    pub fn try_locks(&self, mut at: impl FnMut(Option<SessionId>)) {
        at(None);
        for lane in self.lanes() {
            at(Some(lane.id()));
            let _active = lane.published().active();
        }
    }
}

impl SessionsOverview {
    fn add(&mut self, session: ActiveSession, questions: usize, is_given_up: bool) {
        self.by_phase.add(session.phase);
        let questions = u32::try_from(questions).unwrap_or(u32::MAX);
        self.questions = self.questions.saturating_add(questions);
        let is_stalled = session.storage_stalled.is_some();
        self.stalled += u32::from(is_stalled);
        let is_busy = !matches!(session.phase, Phase::Idle | Phase::Failed);
        if is_stalled || is_busy || is_given_up {
            self.active.push(session);
        }
    }
}
