//! Access for the crate's own tests, which do themselves what turns do.

use scorel_proto::{ContextWindow, Seq};

use super::{Lane, Section};
use crate::damage::DamagedRange;

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

    pub(crate) fn damage(&self) -> Vec<DamagedRange> {
        self.published().state().health.damage.clone()
    }

    pub(crate) fn log_end(&self) -> usize {
        usize::try_from(self.state.log.end()).expect("small")
    }

    pub(crate) fn last_seq(&self) -> Seq {
        self.state.log.last_seq()
    }
}
