//! A walk in no order, by several threads.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use ignore::WalkState;

use super::{FoundKind, Plan, below, found_kind};
use crate::call::Call;
use crate::error::ToolError;
use crate::pace::Interruption;
use crate::roots::Location;

/// The most threads that list directories for one call.
const MAX_THREADS: usize = 4;

/// How a scan went.
#[derive(Debug)]
pub(crate) struct Scanned {
    /// How many entries could not be looked at.
    pub(crate) unreadable: u64,
    /// Why it ended early, if it did.
    pub(crate) interruption: Option<Interruption>,
}

/// Shows `visit` what a walk below `start` would find, in any order and from several threads. Takes
/// less time than a walk: besides the threads, ignore files are only looked for where a directory's
/// listing has them.
pub(crate) fn scan(
    call: &Call,
    start: &Location,
    depth: Option<usize>,
    visit: impl Fn(&Path, FoundKind) + Sync,
) -> Result<Scanned, ToolError> {
    let mut plan = Plan::new(call, start, depth, |_| false)?;
    let unreadable = AtomicU64::new(0);
    let interruption = Mutex::new(None);
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let walk = plan
        .builder
        .threads(threads.min(MAX_THREADS))
        .build_parallel();
    walk.run(|| {
        Box::new(|entry| {
            if let Err(reason) = call.pace.check() {
                *interruption.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
                return WalkState::Quit;
            }
            match entry {
                Ok(entry) => {
                    if let Some(path) = below(&plan.system_start, entry.path()) {
                        visit(path, found_kind(&entry));
                    }
                }
                Err(_) => {
                    unreadable.fetch_add(1, Ordering::Relaxed);
                }
            }
            WalkState::Continue
        })
    });
    Ok(Scanned {
        unreadable: unreadable.into_inner() + plan.blocked.load(Ordering::Relaxed),
        interruption: interruption
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner),
    })
}
