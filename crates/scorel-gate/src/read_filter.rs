use std::path::Path;
use std::sync::Arc;

use scorel_engine::ReadFilter;
use scorel_permission::{Decision, Policy};

/// Filters out files that a rule withholds from the model.
#[derive(Debug)]
pub(crate) struct Unrestricted {
    policy: Policy,
    /// The weakest decision that withholds a file.
    least: Decision,
}

impl Unrestricted {
    /// Admits files for which no rule decides `least` or stronger. `None` if no rule is about reading:
    /// then every file is admitted.
    pub(crate) fn by(policy: Policy, least: Decision) -> Option<Arc<dyn ReadFilter>> {
        let filter = policy.restricts_reading().then(|| Self { policy, least })?;
        Some(Arc::new(filter))
    }
}

impl ReadFilter for Unrestricted {
    fn may_read(&self, path: &Path) -> bool {
        let decision = self.policy.reading_restricted(path);
        decision.is_none_or(|decision| decision < self.least)
    }
}
