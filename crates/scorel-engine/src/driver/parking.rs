//! Where a turn can be left to the next daemon.

use scorel_proto::StopReason;

use super::TurnDriver;
use super::state::TurnState;

impl TurnDriver {
    /// Parks a turn that is to park and has no answer or tool under way. Tools see to it themselves.
    pub(super) fn park_if_due(&mut self) {
        if !self.stop.parks() {
            return;
        }
        match self.state {
            TurnState::NeedContext
            | TurnState::Affordable
            | TurnState::Ready(_)
            | TurnState::NeedRoom(_) => self.state = TurnState::Parked,
            TurnState::NeedContextAgain | TurnState::Due(_) | TurnState::Retrying { .. } => {
                self.drop_call();
            }
            _ => {}
        }
    }

    /// Parks a turn in place of a model call that was announced and has published nothing else. The next
    /// daemon makes the call again.
    pub(super) fn drop_call(&mut self) {
        self.end_call(StopReason::Interrupted, None, TurnState::Parked);
    }
}
