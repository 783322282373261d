use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_engine::ToolList;
use scorel_extension::hook::{HookFigures, HookName};
use scorel_proto::ProjectId;

/// Hooks whose figures are kept. Beyond that they begin anew.
const MAX: usize = 4096;

/// The file that a hook is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HookLayer {
    Project(ProjectId),
    User,
}

/// The figures of hooks since the daemon began, and the tools that turns had.
#[derive(Debug, Default)]
pub(crate) struct HookRegistry {
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    figures: BTreeMap<(HookLayer, HookName), Arc<HookFigures>>,
    /// The tools of the latest turn that had hooks.
    tools: Vec<String>,
}

impl HookRegistry {
    fn lock(&self) -> MutexGuard<'_, Seen> {
        // Poisoning can be ignored: nothing is half changed.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The figures of a hook.
    pub(crate) fn figures(&self, layer: HookLayer, name: &HookName) -> Arc<HookFigures> {
        let mut seen = self.lock();
        if seen.figures.len() >= MAX {
            seen.figures.clear();
        }
        let figures = seen.figures.entry((layer, name.clone()));
        Arc::clone(figures.or_default())
    }

    /// Notes the tools of a turn.
    pub(super) fn saw_tools(&self, tools: &ToolList) {
        self.lock().tools = tools.specs().map(|spec| spec.name.clone()).collect();
    }

    /// The tools of the latest turn; empty if there was none.
    pub(crate) fn tools(&self) -> Vec<String> {
        self.lock().tools.clone()
    }
}
