//! Repositories that a command makes.
//!
//! `git init` at the top of a project is everyday work, but a new repository can carry hooks and
//! settings that run a program as soon as a person types `git status`. What `git init` and `git
//! clone` write by themselves stays; everything else in the places that git runs or obeys is moved
//! aside.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::Path;

use nix::sys::stat::SFlag;

use super::files::{entry_type, names, open_directory, read_file, remove};
use super::kept::is_inert;
use super::restore::Restorer;

impl Restorer<'_> {
    /// Moves aside what git would run in the new repository at `path`, a single name.
    pub(super) fn disarm_repository(&mut self, path: &Path) {
        let root = self.root;
        match entry_type(root, path.as_os_str()) {
            Ok(None) => {}
            Ok(Some(SFlag::S_IFDIR)) => match open_directory(root, path.as_os_str()) {
                Ok(dir) => self.disarm(dir.as_fd(), path, ""),
                Err(error) => self.note(&Err(error.into()), path),
            },
            // A link or a `gitdir:` file leads to a repository that is not looked at.
            Ok(Some(_)) => self.note(&remove(root, path.as_os_str()), path),
            Err(error) => self.note(&Err(error), path),
        }
    }

    /// Moves aside what git would run in a repository, whose configuration may have `settings` besides
    /// harmless ones.
    pub(super) fn disarm(&mut self, dir: BorrowedFd<'_>, path: &Path, settings: &str) {
        let common = OsStr::new("commondir");
        if !is_of_work_tree(dir, path) {
            self.note(&remove(dir, common), &path.join(common));
        }
        for (name, settings) in [("config", settings), ("config.worktree", "")] {
            let path = path.join(name);
            match self.check_settings(dir, &path, settings, 0o644) {
                Ok(true) => {}
                Ok(false) => self.note(&remove(dir, OsStr::new(name)), &path),
                Err(error) => self.note(&Err(error), &path),
            }
        }
        let hooks = OsStr::new("hooks");
        match entry_type(dir, hooks) {
            Ok(None) => {}
            Ok(Some(SFlag::S_IFDIR)) => {
                if let Err(error) = self.disarm_hooks(dir, &path.join("hooks")) {
                    self.note(&Err(error), path);
                }
            }
            _ => self.note(&remove(dir, hooks), &path.join("hooks")),
        }
    }

    fn disarm_hooks(&mut self, dir: BorrowedFd<'_>, path: &Path) -> io::Result<()> {
        let hooks = open_directory(dir, OsStr::new("hooks"))?;
        for name in names(hooks.as_fd())? {
            if !is_inert(&name) {
                self.note(&remove(hooks.as_fd(), &name), &path.join(&name));
            }
        }
        Ok(())
    }
}

/// Returns whether the git directory is that of a work tree of the repository that it is in, and of no other.
fn is_of_work_tree(dir: BorrowedFd<'_>, path: &Path) -> bool {
    let is_among_them = path.parent().is_some_and(|it| it.ends_with("worktrees"));
    let common = read_file(dir, OsStr::new("commondir"), 16);
    is_among_them && matches!(common, Ok(Some((_, text))) if text.trim_ascii_end() == b"../..")
}
