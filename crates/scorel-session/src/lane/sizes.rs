use scorel_engine::ModelInfo;
use scorel_proto::{Seq, TokenEstimate};

use super::Lane;
use crate::compaction_breaker::CompactionBreaker;
use crate::context_size::{Calibration, ContextSize, FixedParts, WindowSizes};

impl Lane {
    /// The size of the next request to `model`.
    pub(crate) fn size_of(
        &self,
        window: &WindowSizes,
        fixed: FixedParts,
        model: &ModelInfo,
    ) -> ContextSize {
        let snapshot: Option<Seq> = self.view(|view| view.state.snapshot_seq);
        let known = self.sizes.lock().calibration.clone();
        let size = ContextSize::of(window, fixed, model, known, snapshot);
        self.sizes.lock().calibration = Some(size.calibration.clone());
        size
    }

    /// The endpoint refused a request of this estimated size as larger than `window`.
    pub(crate) fn overflowed(&self, model: &ModelInfo, estimate: TokenEstimate, window: u64) {
        let mut sizes = self.sizes.lock();
        let known = sizes.calibration.take().filter(|known| known.is_of(model));
        let mut known = known.unwrap_or_else(|| Calibration::new(model));
        known.overflowed(estimate, window);
        sizes.calibration = Some(known);
    }

    /// Reads or changes the state of automatic compactions.
    pub(crate) fn compaction_breaker<R>(
        &self,
        change: impl FnOnce(&mut CompactionBreaker) -> R,
    ) -> R {
        change(&mut self.sizes.lock().breaker)
    }
}
