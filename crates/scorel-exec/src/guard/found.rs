//! Repositories that a command has made further down.

use std::collections::{HashMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};

use nix::dir::Type;
use nix::errno::Errno;
use nix::fcntl::AtFlags;
use nix::sys::stat::fstatat;
use scorel_fs::named_git_dir;

use super::files::{entry_type, open_below, open_directory, read_file, typed_names};
use super::gitlinks::may_link_to_unsearched;
use super::place::UNSEARCHED;
use super::restore::Restorer;
use super::state::PlaceState;
use super::trail::TrailEnd;
use crate::directory_stamp::DirectoryStamp;

/// The longest `.git` file, in bytes.
const MAX_GIT_FILE: u64 = 8 * 1024;

impl Restorer<'_> {
    /// Moves aside what git would run in repositories that are not known.
    ///
    /// A directory is one if it has `HEAD`, `objects` and `refs`, or a `commondir` instead of the last two:
    /// git takes it for a bare repository when it is called from there.
    pub(super) fn disarm_new(&mut self) {
        let known = self.known;
        if known.paths.contains(Path::new("")) {
            return self.disarm_parts(Path::new(""));
        }
        let searches_all = may_link_to_unsearched(self.root_path);
        // In one that is as it was there is nothing new, but perhaps below it.
        for path in known.paths {
            self.disarm_parts(path);
        }
        let none = HashMap::new();
        let searched = if searches_all {
            &none
        } else {
            known.directories
        };
        let is_changed = |(path, stamp): &(&PathBuf, &Option<DirectoryStamp>)| {
            !stamp.is_some_and(|stamp| self.is_still(path, stamp))
        };
        let changed = searched.iter().filter(is_changed);
        let mut queue: VecDeque<_> = changed.map(|(path, _)| path.clone()).collect();
        if searched.is_empty() {
            queue.push_back(PathBuf::new());
        }
        while let Some(dir) = queue.pop_front() {
            let entries = self.entries(&dir);
            let has = |name: &str| entries.iter().any(|(it, _)| it == name);
            if has("HEAD") && (has("commondir") || has("objects") && has("refs")) {
                self.disarm_data(&dir);
            }
            for (name, kind) in entries {
                let is_directory = kind == Some(Type::Directory);
                // Most entries are files, for which no path is made.
                if !is_directory && name != ".git" {
                    continue;
                }
                let path = dir.join(&name);
                let is_searched = || {
                    let absolute = self.root_path.join(&path);
                    let is_unsearched = UNSEARCHED.iter().any(|it| name == *it);
                    (searches_all || !is_unsearched) && !known.exempt.contains(&absolute)
                };
                if name == ".git" {
                    self.disarm_entry(&dir, &path, is_directory);
                } else if !searched.contains_key(&path) && is_searched() {
                    queue.push_back(path);
                }
            }
        }
    }

    fn is_still(&self, path: &Path, stamp: DirectoryStamp) -> bool {
        let place = Path::new(".").join(path);
        let stat = fstatat(self.root, &place, AtFlags::AT_SYMLINK_NOFOLLOW);
        stat.is_ok_and(|stat| DirectoryStamp::now(&stat) == stamp)
    }

    /// The entries of a directory below the root, as far as they may be looked at. Links that another
    /// command makes on the way could only have others listed.
    fn entries(&mut self, dir: &Path) -> Vec<(OsString, Option<Type>)> {
        let path = Path::new(".").join(dir);
        let read = open_directory(self.root, path.as_os_str())
            .and_then(|opened| typed_names(opened.as_fd(), self.entries_left + 1));
        let mut entries = match read {
            Ok(entries) => entries,
            Err(error) => {
                self.outcome.has_gaps |= error == Errno::EACCES;
                Vec::new()
            }
        };
        self.outcome.has_gaps |= entries.len() > self.entries_left;
        entries.truncate(self.entries_left);
        self.entries_left -= entries.len();
        entries
    }

    /// Looks at a `.git` in `work_tree`.
    fn disarm_entry(&mut self, work_tree: &Path, path: &Path, is_directory: bool) {
        if is_directory || self.known.paths.contains(path) {
            return self.disarm_data(path);
        }
        let target = self.named_by(path).unwrap_or_default();
        match self.trail(&work_tree.join(target).join("HEAD")).end {
            TrailEnd::Inside(head) => {
                self.disarm_data(head.parent().unwrap_or(Path::new("")));
            }
            TrailEnd::Outside(path) if self.is_known_outside(&path) => {}
            _ => self.restore_at(path, Path::new(""), &PlaceState::Absent),
        }
    }

    /// The git directory that a link or a `gitdir:` file names.
    fn named_by(&self, path: &Path) -> Option<PathBuf> {
        if let Ok(target) = nix::fcntl::readlinkat(self.root, path) {
            return Some(target.into());
        }
        let dir = open_below(self.root, path.parent()?).ok()?;
        let (_, content) = read_file(dir.as_fd(), path.file_name()?, MAX_GIT_FILE).ok()??;
        named_git_dir(str::from_utf8(&content).ok()?).map(Path::to_owned)
    }

    fn disarm_data(&mut self, path: &Path) {
        if !self.known.paths.contains(path)
            && let Ok(dir) = open_below(self.root, path)
        {
            let settings = self.work_tree_of_module(dir.as_fd(), path);
            self.disarm(dir.as_fd(), path, &settings.unwrap_or_default());
        }
        self.disarm_parts(path);
    }

    /// Submodules, whose names may have slashes and which may have submodules again, and work trees.
    fn disarm_parts(&mut self, path: &Path) {
        let mut queue = Vec::from(["modules", "worktrees"].map(|name| path.join(name)));
        while let Some(dir) = queue.pop() {
            let entries = self.entries(&dir);
            let is_directory = |(_, kind): &(_, Option<Type>)| *kind == Some(Type::Directory);
            for (name, _) in entries.into_iter().filter(is_directory) {
                let path = dir.join(&name);
                let inner = open_below(self.root, &path);
                match inner.map(|it| entry_type(it.as_fd(), OsStr::new("HEAD"))) {
                    Ok(Ok(Some(_))) => self.disarm_data(&path),
                    _ => queue.push(path),
                }
            }
        }
    }
}
