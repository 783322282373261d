use std::path::Path;
use std::sync::Arc;

use scorel_engine::{Effect, ReadFilter};
use scorel_tools::Lazy;
use scorel_workplace::HiddenPlaces;

/// Filters out files in hidden places, besides those that a rule withholds.
#[derive(Debug)]
struct NotHidden {
    hidden: Lazy<HiddenPlaces>,
    rules: Option<Arc<dyn ReadFilter>>,
}

/// The filter of a call: that of the rules, and hidden places where the call could come across some.
/// Most projects have none in them, and then no file of a search needs to be looked up.
pub(crate) fn without_hidden(
    hidden: &Lazy<HiddenPlaces>,
    rules: Option<Arc<dyn ReadFilter>>,
    effects: &[Effect],
    project: &Path,
) -> Option<Arc<dyn ReadFilter>> {
    let read = effects.iter().filter_map(|effect| match effect {
        Effect::ReadPath { path } => Some(path.as_path()),
        _ => None,
    });
    if !read.chain([project]).any(|dir| hidden.get().reaches(dir)) {
        return rules;
    }
    let hidden = hidden.clone();
    Some(Arc::new(NotHidden { hidden, rules }))
}

impl ReadFilter for NotHidden {
    fn may_read(&self, path: &Path) -> bool {
        let by_rules = self.rules.as_ref().is_none_or(|it| it.may_read(path));
        by_rules && !self.hidden.get().hides(path)
    }
}
