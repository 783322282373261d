use crate::compaction_breaker::CompactionBreaker;
use crate::context_size::Calibration;

/// What a loaded session remembers of the sizes of its requests. Lost with the lane: then they are
/// estimated anew, and compactions are tried again.
#[derive(Debug, Default)]
pub(super) struct CallSizes {
    pub(super) calibration: Option<Calibration>,
    pub(super) breaker: CompactionBreaker,
}
