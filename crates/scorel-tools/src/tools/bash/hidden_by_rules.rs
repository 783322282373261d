//! The files that rules hide from commands, looked for when a command starts.
//!
//! A rule is about names, and a mount is about one place. So a file that appears while a command runs
//! is not hidden from it.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use scorel_engine::{HiddenExtent, HiddenFiles};
use scorel_files::OF_THE_KERNEL;
use serde::Serialize;

/// Directory entries that are looked at for one command. The search is breadth-first, so the entries
/// that it misses are deep.
const MAX_ENTRIES: usize = 100_000;

/// Places that are hidden from one command. Each is a mount.
const MAX_PLACES: usize = 1_000;

/// For one command.
const TIME_LIMIT: Duration = Duration::from_millis(500);

#[derive(Debug, Clone, Copy)]
pub(super) struct SearchBounds {
    entries: usize,
    places: usize,
    time: Duration,
}

impl Default for SearchBounds {
    fn default() -> Self {
        Self {
            entries: MAX_ENTRIES,
            places: MAX_PLACES,
            time: TIME_LIMIT,
        }
    }
}

/// The reason why a command can read files that rules deny.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum HiddenGap {
    /// Some are below places that it may write, and the kernel has no mounts for this user.
    NoMounts,
    /// There are more directory entries than are looked at.
    Entries,
    /// More files are denied than are hidden.
    Places,
    /// The search takes too long.
    Time,
}

impl HiddenGap {
    pub(super) fn note(self) -> String {
        let reason = match self {
            Self::NoMounts => "this kernel lets the user make no mounts".to_owned(),
            Self::Entries => format!("there are more than {MAX_ENTRIES} entries to search"),
            Self::Places => format!("there are more than {MAX_PLACES}"),
            Self::Time => format!("the search took longer than {} ms", TIME_LIMIT.as_millis()),
        };
        format!("not all files that rules deny to read were hidden from the command: {reason}")
    }
}

/// The places that a search found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct HiddenPlaces {
    /// None is below another one.
    pub(super) places: BTreeSet<PathBuf>,
    pub(super) gap: Option<HiddenGap>,
}

/// Looks for what `files` hides.
pub(super) fn find(files: &dyn HiddenFiles, bounds: SearchBounds) -> HiddenPlaces {
    let mut search = Search {
        files,
        bounds,
        until: Instant::now() + bounds.time,
        found: HiddenPlaces::default(),
        queue: VecDeque::new(),
    };
    for (path, depth) in roots(files) {
        search.visit(path, depth);
    }
    search.run();
    search.found
}

/// Each root once, with the larger depth, and none that another one covers.
fn roots(files: &dyn HiddenFiles) -> HashMap<PathBuf, Option<usize>> {
    let mut roots: HashMap<PathBuf, Option<usize>> = HashMap::new();
    for root in files.roots() {
        let depth = roots.entry(root.path).or_insert(root.depth);
        *depth = (*depth).zip(root.depth).map(|(one, other)| one.max(other));
    }
    let endless: Vec<PathBuf> = roots
        .iter()
        .filter(|(_, depth)| depth.is_none())
        .map(|(path, _)| path.clone())
        .collect();
    roots.retain(|path, _| {
        let is_above = |above: &PathBuf| path != above && path.starts_with(above);
        !endless.iter().any(is_above)
    });
    roots
}

struct Search<'a> {
    files: &'a dyn HiddenFiles,
    bounds: SearchBounds,
    until: Instant,
    found: HiddenPlaces,
    /// Directories, with the levels below them.
    queue: VecDeque<(PathBuf, Option<usize>)>,
}

impl Search<'_> {
    fn run(&mut self) {
        let mut left = self.bounds.entries;
        while let Some((directory, depth)) = self.queue.pop_front() {
            if Instant::now() >= self.until {
                self.found.gap = Some(HiddenGap::Time);
                return;
            }
            let Ok(entries) = fs::read_dir(&directory) else {
                continue;
            };
            for entry in entries.flatten() {
                if left == 0 {
                    self.found.gap = Some(HiddenGap::Entries);
                    return;
                }
                left -= 1;
                if self.found.places.len() == self.bounds.places {
                    self.found.gap = Some(HiddenGap::Places);
                    return;
                }
                // Rules are about real paths: a link hides what its target hides.
                if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
                    self.visit(entry.path(), depth.map(|depth| depth - 1));
                }
            }
        }
    }

    fn visit(&mut self, path: PathBuf, depth: Option<usize>) {
        let Ok(metadata) = fs::symlink_metadata(&path) else {
            return;
        };
        match self.files.extent(&path) {
            Some(HiddenExtent::Tree) => _ = self.found.places.insert(path),
            Some(HiddenExtent::Entry) if !metadata.is_dir() => _ = self.found.places.insert(path),
            _ if metadata.is_dir() && depth != Some(0) && !is_of_the_kernel(&path) => {
                self.queue.push_back((path, depth));
            }
            _ => {}
        }
    }
}

fn is_of_the_kernel(path: &Path) -> bool {
    OF_THE_KERNEL.iter().any(|name| path == Path::new(name))
}

#[cfg(test)]
mod tests {
    use scorel_engine::HiddenRoot;

    use super::*;

    /// Hides files that end in `.pem`, and directories named `secrets`.
    #[derive(Debug)]
    struct Pems(PathBuf);

    impl HiddenFiles for Pems {
        fn roots(&self) -> Vec<HiddenRoot> {
            let root = |path: PathBuf, depth| HiddenRoot { path, depth };
            vec![
                root(self.0.clone(), Some(1)),
                root(self.0.join("a"), None),
                root(self.0.join("a/b"), Some(3)),
                root(self.0.join("absent"), None),
            ]
        }

        fn extent(&self, path: &Path) -> Option<HiddenExtent> {
            if path.ends_with("secrets") {
                return Some(HiddenExtent::Tree);
            }
            let is_pem = path.extension().is_some_and(|it| it == "pem");
            is_pem.then_some(HiddenExtent::Entry)
        }
    }

    fn project() -> (tempfile::TempDir, Pems) {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        for file in [
            "1.pem",
            "a/b/c/2.pem",
            "a/d.pem/3.pem",
            "a/secrets/4.pem",
            "b/5.pem",
            "b/c/6.pem",
            "a/open",
        ] {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        std::os::unix::fs::symlink("a", root.join("link.pem")).unwrap();
        (directory, Pems(root))
    }

    #[test]
    fn matching_files_and_trees_are_found_as_deep_as_rules_reach() {
        let (_directory, files) = project();
        let found = find(&files, SearchBounds::default());
        let expected = ["1.pem", "a/b/c/2.pem", "a/d.pem/3.pem", "a/secrets"];
        let expected = expected.map(|name| files.0.join(name));
        assert_eq!(found.places, expected.into());
        assert_eq!(found.gap, None);
    }

    #[test]
    fn each_bound_ends_the_search_and_says_so() {
        let (_directory, files) = project();
        let whole = SearchBounds::default();
        let bounded = [
            (
                SearchBounds {
                    entries: 2,
                    ..whole
                },
                HiddenGap::Entries,
            ),
            (SearchBounds { places: 1, ..whole }, HiddenGap::Places),
            (
                SearchBounds {
                    time: Duration::ZERO,
                    ..whole
                },
                HiddenGap::Time,
            ),
        ];
        for (bounds, gap) in bounded {
            let found = find(&files, bounds);
            assert_eq!(found.gap, Some(gap));
            assert!(found.places.len() <= 1, "{found:?}");
        }
    }
}
