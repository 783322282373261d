//! Protected files in a project that a sandboxed command could change.
//!
//! What exists at the top of the project, its repository included, is mounted read-only. The rest is
//! put back after the command, for the reasons that `scorel_exec`'s `guard` gives: files that do not
//! exist yet, repositories further down, which commands must be able to remove, and everything where
//! there are no mounts.

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use scorel_exec::{Guard, GuardRule, GuardedPlace};

use scorel_permission::DaemonHome;
use scorel_permission::protected::{GIT_DIRECTORY, is_protected, looked_for, may_be_protected};

/// Directory entries that are read for one command. The walk is breadth-first, so the entries that it
/// misses are deep.
const MAX_ENTRIES: usize = 50_000;

/// Levels below the project that are searched.
const MAX_DEPTH: usize = 64;

/// Places in one guard.
const MAX_PLACES: usize = 1_000;

/// Directories of dependencies and build results. They are large, and git is not run in them. They
/// are known by name and not by a marker file in them, which a command could create anywhere.
const SKIPPED: [&str; 3] = [".venv", "node_modules", "target"];

/// Entries of a git directory that make git run something, or find other such entries.
const OF_GIT: [&str; 4] = ["commondir", "config", "config.worktree", "hooks"];

/// Protected places by how they are protected.
#[derive(Debug)]
pub(super) struct ProtectedPlaces {
    /// To be mounted read-only; absolute paths.
    pub(super) mounted: Vec<PathBuf>,
    /// To be put back.
    pub(super) guard: Guard,
}

/// Finds protected places: at the top of the project also absent ones, further down those that exist.
/// Places in `exempt` are not guarded and not searched: they are hidden from the command, or caches.
pub(super) fn find(project: &Path, exempt: &[PathBuf], can_mount: bool) -> ProtectedPlaces {
    let mut finder = Finder::new(project, exempt, can_mount);
    finder.at_the_top();
    finder.walk();
    finder.into_places()
}

/// Finds protected places in the data of a repository, as [`find`] does in a project.
pub(super) fn find_git_data(data: &Path, exempt: &[PathBuf], can_mount: bool) -> ProtectedPlaces {
    let mut finder = Finder::new(data, exempt, can_mount);
    let top = Path::new("");
    finder.git_data(top, top);
    for parts in ["modules", "worktrees"] {
        finder.parts(Path::new(parts), top, 0);
    }
    finder.into_places()
}

struct Finder<'a> {
    can_mount: bool,
    mounted: Vec<PathBuf>,
    guard: Guard,
    exempt: &'a [PathBuf],
    seen: HashSet<PathBuf>,
}

impl<'a> Finder<'a> {
    fn new(root: &Path, exempt: &'a [PathBuf], can_mount: bool) -> Self {
        Self {
            can_mount,
            mounted: Vec::new(),
            guard: Guard {
                root: root.to_owned(),
                ..Guard::default()
            },
            exempt,
            seen: HashSet::new(),
        }
    }

    fn into_places(self) -> ProtectedPlaces {
        ProtectedPlaces {
            mounted: self.mounted,
            guard: self.guard,
        }
    }

    /// Places that matter even while they are absent.
    fn at_the_top(&mut self) {
        let top = Path::new("");
        if fs::symlink_metadata(self.guard.root.join(GIT_DIRECTORY)).is_err() {
            self.add(Path::new(GIT_DIRECTORY), top, GuardRule::NewRepository);
        }
        for path in looked_for() {
            self.links_before(&path);
            self.add(&path, top, GuardRule::Unchanged);
        }
    }

    /// Adds the links among the directories that lead to `path`. `path` itself is a place of its own,
    /// which may be mounted read-only; but a command could put a directory in the link's place. A
    /// mount would close the whole directory that the link leads to, so the link is put back.
    fn links_before(&mut self, path: &Path) {
        for parent in path.ancestors().skip(1) {
            let place = self.guard.root.join(parent);
            let is_link = fs::symlink_metadata(&place).is_ok_and(|it| it.is_symlink());
            let is_exempt = self.exempt.iter().any(|exempt| place.starts_with(exempt));
            let is_below = !parent.as_os_str().is_empty();
            if is_link && is_below && !is_exempt && self.seen.insert(parent.to_owned()) {
                self.guard_place(parent, Path::new(""), GuardRule::Unchanged);
            }
        }
    }

    /// Places that exist, breadth-first.
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
                let is_skipped = SKIPPED.iter().any(|name| entry.file_name() == *name)
                    || self.exempt.contains(&entry.path());
                if depth < MAX_DEPTH && !is_skipped {
                    queue.push_back((path, depth + 1));
                } else if !is_skipped {
                    self.guard.has_gaps = true;
                }
            }
        }
    }

    /// Adds the entry if its name is protected, and returns whether it is.
    fn is_found(&mut self, dir: &Path, path: &Path, is_directory: bool) -> bool {
        if path.file_name().is_some_and(|name| name == GIT_DIRECTORY) {
            self.repository(dir, path, is_directory);
            return true;
        }
        let parent = dir.file_name().unwrap_or_default();
        if !may_be_protected(parent, path.file_name().unwrap_or_default()) {
            return false;
        }
        if !is_named_protected(path) {
            return false;
        }
        // A file that is protected for the directory it is in, such as `.vscode/tasks.json`, comes back
        // with that directory: another one, or a link, may have taken its place.
        let is_for_itself = path
            .file_name()
            .is_some_and(|name| is_named_protected(Path::new(name)));
        let anchor = if is_for_itself {
            dir
        } else {
            dir.parent().unwrap_or(dir)
        };
        self.add(path, anchor, GuardRule::Unchanged);
        true
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

    /// Git directories of submodules, which may have submodules again, and of work trees.
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

    /// The git directory that a `.git` file or link leads to, if it is in the project.
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
        if !self.seen.insert(path.to_owned()) {
            return;
        }
        let place = self.guard.root.join(path);
        let metadata = fs::symlink_metadata(&place).ok();
        if self.can_mount && anchor.as_os_str().is_empty() && metadata.is_some() {
            self.mounted.push(place.clone());
            // A mount covers a link's target and not the link.
            if metadata.is_none_or(|it| !it.is_symlink()) {
                return;
            }
        }
        let overlaps = |exempt: &PathBuf| place.starts_with(exempt) || exempt.starts_with(&place);
        if self.exempt.iter().any(overlaps) {
            return;
        }
        self.guard_place(path, anchor, rule);
    }

    fn guard_place(&mut self, path: &Path, anchor: &Path, rule: GuardRule) {
        if self.guard.places.len() == MAX_PLACES || path.to_str().is_none() {
            self.guard.has_gaps = true;
            return;
        }
        self.guard.places.push(GuardedPlace {
            path: path.to_owned(),
            anchor: anchor.to_owned(),
            rule,
        });
    }
}

/// Whether the path, relative to the project, is protected. The daemon's home is in `hidden`, so any
/// path that is not in the project will do.
fn is_named_protected(path: &Path) -> bool {
    let elsewhere = DaemonHome::closed(Path::new("/.scorel"));
    is_protected(&Path::new("/").join(path), &elsewhere).is_some()
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
    fn places_further_down_are_found_and_hidden_ones_are_not() {
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
        let hidden = [project.join("home/.ssh"), project.join(".scorel/x")];
        let guard = find(&project, &hidden, false).guard;
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
    fn what_exists_at_the_top_is_mounted_and_the_rest_is_guarded() {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path().canonicalize().unwrap();
        for name in [".git/hooks", ".git/modules/m/hooks", "sub/.git/hooks"] {
            fs::create_dir_all(project.join(name)).unwrap();
        }
        for name in [".git/config", ".git/modules/m/HEAD", ".envrc", "rc"] {
            fs::write(project.join(name), "").unwrap();
        }
        std::os::unix::fs::symlink("rc", project.join(".bashrc")).unwrap();
        let found = find(&project, &[], true);
        let mut mounted = found.mounted;
        mounted.sort_unstable();
        let expected = [
            ".bashrc",
            ".envrc",
            ".git/config",
            ".git/hooks",
            ".git/modules/m/hooks",
        ];
        assert_eq!(mounted, expected.map(|name| project.join(name)));
        let is_guarded = |name: &str| {
            let places = &found.guard.places;
            places.iter().any(|place| place.path == Path::new(name))
        };
        for name in [".bashrc", ".zshrc", ".git/commondir", "sub/.git/hooks"] {
            assert!(is_guarded(name), "{name}");
        }
        for name in [".envrc", ".git/config", ".git/modules/m/hooks"] {
            assert!(!is_guarded(name), "{name}");
        }
    }

    #[test]
    fn a_linked_directory_before_a_protected_file_is_guarded() {
        let directory = tempfile::tempdir().unwrap();
        let project = directory.path().canonicalize().unwrap();
        fs::create_dir_all(project.join("conf/claude")).unwrap();
        fs::write(project.join("conf/claude/settings.json"), "").unwrap();
        std::os::unix::fs::symlink("conf/claude", project.join(".claude")).unwrap();
        for can_mount in [true, false] {
            let found = find(&project, &[], can_mount);
            let is_guarded = |name: &str| {
                let places = &found.guard.places;
                places.iter().any(|place| place.path == Path::new(name))
            };
            assert!(is_guarded(".claude"), "mounts: {can_mount}");
            assert!(!is_guarded(".vscode"));
            let mounted = project.join(".claude/settings.json");
            assert_eq!(found.mounted.contains(&mounted), can_mount);
            assert!(!found.mounted.contains(&project.join(".claude")));
        }
    }

    #[test]
    fn places_beyond_the_limit_are_a_gap() {
        let directory = tempfile::tempdir().unwrap();
        for name in 0..=MAX_PLACES {
            let place = directory.path().join(name.to_string());
            fs::create_dir(&place).unwrap();
            fs::write(place.join(".envrc"), "").unwrap();
        }
        let guard = find(directory.path(), &[], false).guard;
        assert_eq!((guard.places.len(), guard.has_gaps), (MAX_PLACES, true));
    }
}
