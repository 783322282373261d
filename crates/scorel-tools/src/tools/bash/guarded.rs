//! Finds the protected paths of a project that are compared and put back after a command.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use scorel_exec::{Guard, GuardRule, GuardedPlace};

use scorel_permission::protected::{
    DIRECTORIES, GIT_DIRECTORY, SCOREL_DIRECTORY, START_FILES, is_protected,
};

/// Directory entries that are examined, breadth first, so that the deepest are missed.
const MAX_ENTRIES: usize = 50_000;

/// The depth of the search.
const MAX_DEPTH: usize = 16;

/// The most paths that are guarded.
const MAX_PLACES: usize = 1_000;

/// Directories of downloads and build products, which are large and not searched. Recognized by name: a
/// marker file in them could be planted by a command.
const SKIPPED: [&str; 3] = [".venv", "node_modules", "target"];

/// The parts of git's data that decide what git runs or where it looks.
const OF_GIT: [&str; 4] = ["commondir", "config", "config.worktree", "hooks"];

/// The paths to guard in a project: at its top level also those that do not exist yet, deeper those that
/// do. Without those below `hidden`, which a command cannot reach.
pub(super) fn guard(project: &Path, hidden: &[PathBuf]) -> Guard {
    let mut finder = Finder {
        guard: Guard {
            root: project.to_owned(),
            ..Guard::default()
        },
        hidden,
        seen: HashSet::new(),
    };
    finder.at_the_top();
    finder.walk();
    finder.guard
}

struct Finder<'a> {
    guard: Guard,
    hidden: &'a [PathBuf],
    seen: HashSet<PathBuf>,
}

impl Finder<'_> {
    /// Paths that may be created.
    fn at_the_top(&mut self) {
        let top = Path::new("");
        if fs::symlink_metadata(self.guard.root.join(GIT_DIRECTORY)).is_err() {
            self.add(Path::new(GIT_DIRECTORY), top, GuardRule::NewRepository);
        }
        let directories = DIRECTORIES
            .iter()
            .map(|(parent, name, _)| Path::new(parent).join(name));
        let names = START_FILES.iter().chain([&SCOREL_DIRECTORY]);
        for path in names.map(PathBuf::from).chain(directories) {
            self.add(&path, top, GuardRule::Unchanged);
        }
    }

    /// Existing paths, breadth first.
    fn walk(&mut self) {
        let mut left = MAX_ENTRIES;
        let mut queue = VecDeque::from([(PathBuf::new(), 0)]);
        while let Some((dir, depth)) = queue.pop_front() {
            let Ok(entries) = fs::read_dir(self.guard.root.join(&dir)) else {
                continue;
            };
            for entry in entries.flatten() {
                if left == 0 {
                    self.guard.has_gaps = true;
                    return;
                }
                left -= 1;
                let path = dir.join(entry.file_name());
                let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if self.is_found(&dir, &path, is_directory) || !is_directory {
                    continue;
                }
                let is_skipped = SKIPPED.iter().any(|name| entry.file_name() == *name);
                if depth < MAX_DEPTH && !is_skipped {
                    queue.push_back((path, depth + 1));
                } else if !is_skipped {
                    self.guard.has_gaps = true;
                }
            }
        }
    }

    /// Adds what belongs to a protected name. Returns whether it is one.
    fn is_found(&mut self, dir: &Path, path: &Path, is_directory: bool) -> bool {
        if path.file_name().is_some_and(|name| name == GIT_DIRECTORY) {
            self.repository(dir, path, is_directory);
            return true;
        }
        if !may_be_protected(dir, path) {
            return false;
        }
        let relative = Path::new("/").join(path);
        // The daemon's home is in `hidden`, so any path will do here.
        let is_found = is_protected(&relative, Path::new("/.scorel")).is_some();
        if is_found {
            self.add(path, dir, GuardRule::Unchanged);
        }
        is_found
    }

    fn repository(&mut self, work_tree: &Path, path: &Path, is_directory: bool) {
        if is_directory {
            self.git_data(path, work_tree);
            self.parts(&path.join("modules"), work_tree, 0);
            self.parts(&path.join("worktrees"), work_tree, 0);
            return;
        }
        // A `gitdir:` file or a link.
        self.add(path, work_tree, GuardRule::Unchanged);
        if let Some(real) = self.leads_to(work_tree, path) {
            self.git_data(&real, work_tree);
        }
    }

    /// Data of submodules and work trees, which may contain submodules in turn.
    fn parts(&mut self, dir: &Path, work_tree: &Path, depth: usize) {
        let entries = fs::read_dir(self.guard.root.join(dir))
            .into_iter()
            .flatten();
        for entry in entries.flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            let path = dir.join(entry.file_name());
            if depth == MAX_DEPTH {
                self.guard.has_gaps = true;
            } else if self.guard.root.join(&path).join("HEAD").exists() {
                self.git_data(&path, work_tree);
                self.parts(&path.join("modules"), work_tree, depth + 1);
            } else {
                // A submodule's name may contain slashes.
                self.parts(&path, work_tree, depth + 1);
            }
        }
    }

    fn git_data(&mut self, path: &Path, work_tree: &Path) {
        for name in OF_GIT {
            self.add(&path.join(name), work_tree, GuardRule::Unchanged);
        }
    }

    /// The directory that a `.git` file or link points to, if it is in the project.
    fn leads_to(&self, work_tree: &Path, path: &Path) -> Option<PathBuf> {
        let root = &self.guard.root;
        let target = match fs::read_link(root.join(path)) {
            Ok(target) => target,
            Err(_) => {
                let text = fs::read_to_string(root.join(path)).ok()?;
                PathBuf::from(text.strip_prefix("gitdir: ")?.trim_end())
            }
        };
        let real = root.join(work_tree).join(target).canonicalize().ok()?;
        Some(real.strip_prefix(root).ok()?.to_owned())
    }

    fn add(&mut self, path: &Path, anchor: &Path, rule: GuardRule) {
        let place = self.guard.root.join(path);
        let overlaps = |hidden: &PathBuf| place.starts_with(hidden) || hidden.starts_with(&place);
        if self.hidden.iter().any(overlaps) || self.seen.contains(path) {
            return;
        }
        if self.guard.places.len() == MAX_PLACES || path.to_str().is_none() {
            self.guard.has_gaps = true;
            return;
        }
        self.seen.insert(path.to_owned());
        self.guard.places.push(GuardedPlace {
            path: path.to_owned(),
            anchor: anchor.to_owned(),
            rule,
        });
    }
}

/// A cheap necessary condition for a protected name, given that its ancestors are not protected.
fn may_be_protected(dir: &Path, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    let parent = dir.file_name().unwrap_or_default();
    let is_parent = |(listed, _, _): &(&str, _, _)| parent.eq_ignore_ascii_case(listed);
    name.starts_with(b".") || DIRECTORIES.iter().any(is_parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(guard: &Guard) -> Vec<&str> {
        let found = guard
            .places
            .iter()
            .filter(|place| !place.anchor.as_os_str().is_empty());
        found.map(|place| place.path.to_str().unwrap()).collect()
    }

    #[test]
    fn what_is_further_down_is_found_and_what_is_hidden_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path().canonicalize().unwrap();
        for name in [
            "a/.git/hooks",
            "b/c/.config/fish",
            "home/.ssh",
            "node_modules/x/.git",
            "a/src",
        ] {
            fs::create_dir_all(project.join(name)).unwrap();
        }
        fs::write(project.join("b/.zshrc"), "").unwrap();
        let guard = guard(
            &project,
            &[project.join("home/.ssh"), project.join(".scorel/x")],
        );
        let expected = [
            "a/.git/commondir",
            "a/.git/config",
            "a/.git/config.worktree",
            "a/.git/hooks",
            "b/.zshrc",
            "b/c/.config/fish",
        ];
        let mut found = paths(&guard);
        found.sort_unstable();
        assert_eq!((found.as_slice(), guard.has_gaps), (&expected[..], false));
        let top = |name: &str| {
            guard
                .places
                .iter()
                .any(|place| place.path == Path::new(name))
        };
        assert!(top(".git") && top(".bashrc") && !top(".scorel"));
    }

    #[test]
    fn more_than_can_be_looked_at_is_a_gap() {
        let directory = tempfile::tempdir().unwrap();
        for name in 0..=MAX_PLACES {
            let place = directory.path().join(name.to_string());
            fs::create_dir(&place).unwrap();
            fs::write(place.join(".envrc"), "").unwrap();
        }
        let guard = guard(directory.path(), &[]);
        assert_eq!((guard.places.len(), guard.has_gaps), (MAX_PLACES, true));
    }
}
