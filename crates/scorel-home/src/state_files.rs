use std::path::Path;

use crate::device::Device;
use crate::projects::ProjectsFile;
use crate::state_file::{
    CHANNELS, CREDENTIALS, DAEMON, DEVICE, GRANTS, MODELS, PROJECTS, RUN, StateBody, StateError,
    StateFile, StateKind, TRUST, WORKTREE,
};

/// Checks a file of a kind; a missing one is whole.
type StateCheck = fn(&StateKind, &Path) -> Result<(), StateError>;

/// All kinds of state files, for those who check a home or copy it. Contents whose types other crates
/// have are checked without them.
pub const STATE_FILES: [(&StateKind, StateCheck); 10] = [
    (&DEVICE, whole::<Device>),
    (&PROJECTS, whole::<ProjectsFile>),
    (&GRANTS, StateKind::check),
    (&TRUST, StateKind::check),
    (&CHANNELS, StateKind::check),
    (&CREDENTIALS, StateKind::check),
    (&WORKTREE, StateKind::check),
    (&RUN, StateKind::check),
    (&MODELS, StateKind::check),
    (&DAEMON, StateKind::check),
];

fn whole<T: StateBody>(_: &StateKind, path: &Path) -> Result<(), StateError> {
    StateFile::<T>::new(path.to_owned()).read().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A backup and its restore look there.
    #[test]
    fn the_page_of_files_names_every_state_file() {
        let page = include_str!("../../../docs/journal-format.md");
        let rows: Vec<&str> = page.lines().filter(|line| line.starts_with('|')).collect();
        for (kind, _) in STATE_FILES {
            let (dir, end) = kind.place.split_once('*').unwrap_or((kind.place, ""));
            let found = rows
                .iter()
                .any(|row| row.contains(&format!("`{dir}")) && row.contains(end));
            assert!(found, "{} is not in docs/journal-format.md", kind.place);
        }
    }
}
