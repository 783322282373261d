//! A guarded place as it was before a command.

use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::{Path, PathBuf};

use super::files::open_below;
use super::place::GuardedPlace;
use super::state::{PlaceState, SnapshotBudget};
use super::trail::{LinkOnTrail, Trail, TrailEnd};

#[derive(Debug)]
pub(super) struct RecordedPlace {
    pub(super) place: GuardedPlace,
    /// The links that led to it.
    pub(super) links: Vec<LinkOnTrail>,
    /// Where it is, relative to the root; `place.path` if that leads out of the root.
    pub(super) real: PathBuf,
    pub(super) state: PlaceState,
}

impl RecordedPlace {
    pub(super) fn record(
        root: BorrowedFd<'_>,
        root_path: &Path,
        place: &GuardedPlace,
        budget: &mut SnapshotBudget,
    ) -> Self {
        let trail = Trail::of(root, root_path, &place.path);
        let (real, state) = match &trail.end {
            TrailEnd::Inside(real) => (real, record_at(root, real, budget)),
            // Out of the command's reach; only the links to it are put back.
            _ if trail.leads_to_something(root) => (&place.path, PlaceState::Ignored),
            _ => (&place.path, PlaceState::Absent),
        };
        Self {
            place: place.clone(),
            real: real.clone(),
            state,
            links: trail.links,
        }
    }
}

/// Records what is at a path without links.
fn record_at(root: BorrowedFd<'_>, path: &Path, budget: &mut SnapshotBudget) -> PlaceState {
    let (Some(name), parent) = (path.file_name(), path.parent()) else {
        return PlaceState::Ignored;
    };
    match open_below(root, parent.unwrap_or(Path::new(""))) {
        Ok(dir) => PlaceState::record(dir.as_fd(), name, budget),
        Err(_) => PlaceState::Absent,
    }
}
