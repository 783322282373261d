use std::path::Path;
use std::sync::Arc;

use scorel_engine::{HiddenExtent, HiddenFiles, HiddenRoot};
use scorel_permission::{HiddenPart, Policy};

/// Hides from commands what denying rules hide from the file tools.
#[derive(Debug)]
pub(crate) struct HiddenByRules(Policy);

impl HiddenByRules {
    /// `None` if no rule denies reading.
    pub(crate) fn by(policy: &Policy) -> Option<Arc<dyn HiddenFiles>> {
        let hides = !policy.hidden_places().is_empty();
        hides.then(|| Arc::new(Self(policy.clone())) as _)
    }
}

impl HiddenFiles for HiddenByRules {
    fn roots(&self) -> Vec<HiddenRoot> {
        let places = self.0.hidden_places().into_iter();
        places
            .map(|(path, depth)| HiddenRoot { path, depth })
            .collect()
    }

    fn extent(&self, path: &Path) -> Option<HiddenExtent> {
        self.0.hidden_part(path).map(|part| match part {
            HiddenPart::Entry => HiddenExtent::Entry,
            HiddenPart::Tree => HiddenExtent::Tree,
        })
    }
}
