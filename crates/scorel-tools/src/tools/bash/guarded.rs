//! Protected files in a project that a sandboxed command could change.
//!
//! Existing files at the top of the project, its repository included, are mounted read-only. The rest is
//! put back after the command, for the reasons that `scorel_exec`'s `guard` gives: files that do not
//! exist yet, repositories further down, which commands must be able to remove, and everything where
//! there are no mounts.

#[cfg(test)]
mod tests;

use std::collections::{HashSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use scorel_exec::{Guard, GuardRule, GuardedPlace, UNSEARCHED, may_link_to_unsearched};
use scorel_fs::{named_git_dir, read_foreign_text};
use scorel_permission::DaemonHome;
use scorel_permission::protected::{GIT_DIRECTORY, is_protected, looked_for, may_be_protected};

use super::listings::Listings;
use crate::obeyed::{GitSources, configurations, named_by_git};

/// Directory entries that are read for one command. The walk is breadth-first, so the entries that it
/// misses are deep.
const MAX_ENTRIES: usize = 50_000;

/// Levels below the project that are searched.
const MAX_DEPTH: usize = 64;

/// Places in one guard.
const MAX_PLACES: usize = 1_000;

/// Entries of a git directory that make git run something, or find other such entries.
const OF_GIT: [(&str, GuardRule); 7] = [
    // It names another directory, with hooks and a configuration of its own.
    ("commondir", GuardRule::Unchanged),
    // `core.fsmonitor`, `diff.external`, an alias or a filter is a command.
    ("config", GuardRule::Settings),
    ("config.worktree", GuardRule::Settings),
    // Git runs them at the next commit, checkout, merge or push.
    ("hooks", GuardRule::Unchanged),
    // It says which files go through a filter or a merge driver of the configuration.
    ("info/attributes", GuardRule::Unchanged),
    // It adds the objects of any directory, such as a private repository.
    ("objects/info/alternates", GuardRule::Unchanged),
    // A line `exec` runs at the next `git rebase --continue`.
    ("rebase-merge/git-rebase-todo", GuardRule::Todo),
];

/// Protected places by how they are protected.
#[derive(Debug)]
pub(super) struct ProtectedPlaces {
    /// To be mounted read-only; absolute paths.
    pub(super) mounted: Vec<PathBuf>,
    /// Configurations of git among them.
    pub(super) settings: Vec<PathBuf>,
    /// To be put back.
    pub(super) guard: Guard,
}

impl ProtectedPlaces {
    /// Adds those of another root.
    pub(super) fn add(&mut self, other: Self) {
        self.mounted.extend(other.mounted);
        self.settings.extend(other.settings);
        self.guard.others.push(other.guard);
    }
}

/// Finds protected places: at the top of the project also absent ones, further down those that exist.
/// Places in `exempt` are not guarded and not searched: they are hidden from the command, or caches.
pub(super) fn find(
    project: &Path,
    home: Option<&Path>,
    exempt: &[PathBuf],
    can_mount: bool,
    listings: &mut Listings,
) -> ProtectedPlaces {
    let mut finder = Finder::new(project, exempt, can_mount);
    finder.home = home;
    finder.at_the_top();
    finder.walk(listings);
    finder.found
}

/// Finds protected places in the data of a repository, as [`find`] does in a project.
pub(super) fn find_git_data(data: &Path, exempt: &[PathBuf], can_mount: bool) -> ProtectedPlaces {
    let mut finder = Finder::new(data, exempt, can_mount);
    let top = Path::new("");
    finder.git_data(top, top, top);
    for parts in ["modules", "worktrees"] {
        finder.parts(Path::new(parts), top, 0);
    }
    finder.found
}

struct Finder<'a> {
    root: &'a Path,
    can_mount: bool,
    found: ProtectedPlaces,
    /// The user's home directory.
    home: Option<&'a Path>,
    exempt: &'a [PathBuf],
    seen: HashSet<PathBuf>,
}

impl<'a> Finder<'a> {
    fn new(root: &'a Path, exempt: &'a [PathBuf], can_mount: bool) -> Self {
        Self {
            root,
            can_mount,
            found: ProtectedPlaces {
                mounted: Vec::new(),
                settings: Vec::new(),
                guard: Guard {
                    root: root.to_owned(),
                    exempt: exempt.to_vec(),
                    ..Guard::default()
                },
            },
            home: None,
            exempt,
            seen: HashSet::new(),
        }
    }

    /// Places that matter even while they are absent.
    fn at_the_top(&mut self) {
        let top = Path::new("");
        if fs::symlink_metadata(self.root.join(GIT_DIRECTORY)).is_err() {
            self.add(Path::new(GIT_DIRECTORY), top, GuardRule::NewRepository);
        }
        for path in looked_for() {
            self.add(&path, top, GuardRule::Unchanged);
        }
        for path in named_by_git(self.root, self.home) {
            self.add(&path, top, GuardRule::Unchanged);
        }
    }

    /// Places that exist, breadth-first.
    fn walk(&mut self, listings: &mut Listings) {
        listings.begin(self.root);
        let searches_all = may_link_to_unsearched(self.root);
        let mut left = MAX_ENTRIES;
        let mut queue = VecDeque::from([(PathBuf::new(), 0)]);
        while let Some((dir, depth)) = queue.pop_front() {
            let listing = listings.of(&dir, left);
            if listing.count > left {
                self.found.guard.has_gaps = true;
                break;
            }
            left -= listing.count;
            // Most directories have no `HEAD`, and are not asked for the rest.
            let is_bare = listing.has("HEAD") && is_bare_repository(&self.root.join(&dir));
            if is_bare && depth > 0 {
                self.git_data(&dir, &dir, &dir);
            }
            for (name, is_directory) in listing.entries {
                let path = dir.join(&name);
                if self.is_found(&dir, &path, is_directory) || !is_directory {
                    continue;
                }
                let is_unsearched = UNSEARCHED.iter().any(|it| name == *it);
                let is_skipped = is_unsearched && !searches_all
                    || is_bare && matches!(name.to_str(), Some("objects" | "refs"))
                    || self.exempt.contains(&self.root.join(&path));
                if depth < MAX_DEPTH && !is_skipped {
                    queue.push_back((path, depth + 1));
                } else if !is_skipped {
                    self.found.guard.has_gaps = true;
                }
            }
        }
        self.found.guard.directories = listings.end();
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
            self.git_data(path, work_tree, work_tree);
            self.parts(&path.join("modules"), work_tree, 0);
            self.parts(&path.join("worktrees"), work_tree, 0);
            return;
        }
        // A `gitdir:` file or a link.
        self.found.guard.repositories.push(path.to_owned());
        self.add(path, work_tree, GuardRule::Removable);
        if let Some(real) = self.leads_to(work_tree, path) {
            self.git_data(&real, work_tree, work_tree);
        }
    }

    /// Git directories of submodules, which may have submodules again, and of work trees. What is in them is
    /// not mounted, as they could not be removed then.
    fn parts(&mut self, dir: &Path, work_tree: &Path, depth: usize) {
        let entries = fs::read_dir(self.root.join(dir)).into_iter().flatten();
        for entry in entries.flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            let path = dir.join(entry.file_name());
            if depth == MAX_DEPTH {
                self.found.guard.has_gaps = true;
            } else if self.root.join(&path).join("HEAD").exists() {
                self.git_data(&path, &path, work_tree);
                self.parts(&path.join("modules"), work_tree, depth + 1);
            } else {
                // A submodule's name may contain slashes.
                self.parts(&path, work_tree, depth + 1);
            }
        }
    }

    /// Adds what is in the git directory at `path`, which goes with `anchor`, and what it names.
    fn git_data(&mut self, path: &Path, anchor: &Path, work_tree: &Path) {
        self.found.guard.repositories.push(path.to_owned());
        for (name, rule) in OF_GIT {
            self.add(&path.join(name), anchor, rule);
        }
        let hooks = fs::read_dir(self.root.join(path).join("hooks"));
        for hook in hooks.into_iter().flatten().flatten() {
            self.add_target(&hook.path(), work_tree);
        }
        let sources = GitSources {
            home: self.home,
            work_tree: &self.root.join(work_tree),
        };
        let configurations = configurations(&self.root.join(path));
        for path in sources.named_below(self.root, configurations) {
            self.add(&path, work_tree, GuardRule::Unchanged);
        }
    }

    /// Adds what a link leads to, if that is in the project.
    fn add_target(&mut self, link: &Path, anchor: &Path) {
        let target = fs::read_link(link).and_then(|_| link.canonicalize());
        if let Ok(target) = target
            && let Ok(path) = target.strip_prefix(self.root)
        {
            self.add(path, anchor, GuardRule::Unchanged);
        }
    }

    /// The git directory that a `.git` file or link leads to, if it is in the project.
    fn leads_to(&self, work_tree: &Path, path: &Path) -> Option<PathBuf> {
        let target = match fs::read_link(self.root.join(path)) {
            Ok(target) => target,
            Err(_) => {
                let text = read_foreign_text(&self.root.join(path))?;
                named_git_dir(&text)?.to_owned()
            }
        };
        let real = self.root.join(work_tree).join(target).canonicalize().ok()?;
        Some(real.strip_prefix(self.root).ok()?.to_owned())
    }

    fn add(&mut self, path: &Path, anchor: &Path, rule: GuardRule) {
        if !self.seen.insert(path.to_owned()) {
            return;
        }
        let guarded = GuardedPlace {
            path: path.to_owned(),
            anchor: anchor.to_owned(),
            rule,
        };
        let place = self.root.join(path);
        let metadata = fs::symlink_metadata(&place).ok();
        let is_link = metadata.as_ref().is_some_and(|it| it.is_symlink());
        let is_top = anchor.as_os_str().is_empty() && rule != GuardRule::Todo;
        if self.can_mount && is_top && metadata.is_some() {
            self.found.mounted.push(place.clone());
            let is_direct = !is_link && place.canonicalize().is_ok_and(|real| real == place);
            if is_direct && rule == GuardRule::Settings {
                self.found.settings.push(place.clone());
            }
            // A mount covers what links lead to and not the links.
            if is_direct {
                self.found.guard.mounted.push(guarded);
                return;
            }
        } else if is_link {
            self.add_target(&place, anchor);
        }
        let overlaps = |exempt: &PathBuf| place.starts_with(exempt) || exempt.starts_with(&place);
        if self.exempt.iter().any(overlaps) {
            return;
        }
        if self.found.guard.places.len() == MAX_PLACES || path.to_str().is_none() {
            self.found.guard.has_gaps = true;
        } else {
            self.found.guard.places.push(guarded);
        }
    }
}

/// Returns whether git takes the directory for a repository's data.
fn is_bare_repository(directory: &Path) -> bool {
    let has = |name: &str| directory.join(name).symlink_metadata().is_ok();
    has("HEAD") && (has("commondir") || has("objects") && has("refs"))
}

/// Returns whether the path, relative to the project, is protected. The daemon's home is in `hidden`, so any
/// path that is not in the project will do.
fn is_named_protected(path: &Path) -> bool {
    let elsewhere = DaemonHome::closed(Path::new("/.scorel"));
    is_protected(&Path::new("/").join(path), &elsewhere).is_some()
}
