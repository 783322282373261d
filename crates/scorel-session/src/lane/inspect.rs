//! Access for the crate's own tests, which do themselves what turns do.

use scorel_journal::Journal;
use scorel_proto::{ContextWindow, Seq};

use super::{Lane, Section};
use crate::damage::DamagedPlace;

impl Lane {
    /// Keeps turns from running.
    pub(crate) fn start_draining(&self) {
        self.shared.start_draining();
    }
}

impl Section<'_> {
    pub(crate) fn window(&self) -> Option<ContextWindow> {
        self.lane.shared.windows.peek(self.lane.id())
    }

    pub(crate) fn damage(&self) -> &[DamagedPlace] {
        &self.state.health.damage
    }

    pub(crate) fn log_end(&self) -> usize {
        usize::try_from(self.state.log.end()).expect("small")
    }

    pub(crate) fn last_seq(&self) -> Seq {
        self.state.log.last_seq()
    }

    pub(crate) fn journal(&mut self) -> &mut Journal {
        self.state.journal().expect("writable")
    }
}
