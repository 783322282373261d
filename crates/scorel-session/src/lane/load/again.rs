//! A log that turns out to be damaged while its session is in memory.

use std::sync::atomic::Ordering;

use scorel_proto::ErrorChain;

use super::{Fold, beyond_repair, report};
use crate::lane::damage::unaccepted_damage;
use crate::lane::{Lane, LaneState};

impl Lane {
    /// Makes of the session what loading it would make of it, if reading came upon damage: the log
    /// is read again from its beginning, and what is found has to be accepted. A turn that runs has
    /// its end first.
    ///
    /// Every section begins with this. It blocks on the disk only when there is something to find.
    pub(crate) fn look_again(&self, state: &mut LaneState) {
        if !self.must_look() || self.turn.is_running() || state.deleted || state.failed.is_some() {
            return;
        }
        // Before reading: whoever comes upon more damage meanwhile is heard.
        self.look_due.store(false, Ordering::Release);
        let mut fold = Fold::default();
        match self.reader.scan(&mut |record| fold.add(record)) {
            Ok(found) => {
                report(&found, self.id());
                state.damage = unaccepted_damage(&found, &fold.view.state.accepted_damage);
                state.failed = beyond_repair(&found);
                state.view = fold.view;
                state.index = fold.index;
                state.receipts = fold.receipts;
            }
            Err(error) => state.failed = Some(ErrorChain(&error).to_string()),
        }
        self.announce(state);
    }
}
