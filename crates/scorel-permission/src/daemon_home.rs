//! The daemon's home, as one session sees it.

use std::path::{Component, Path, PathBuf};

/// The directory of the daemon's home with the git worktrees of agents, one directory each.
pub const WORKTREES: &str = "worktrees";

/// The daemon's home, and the worktree in it that a session works in.
///
/// Tools may use nothing in the home but that worktree, and only in the session whose project it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DaemonHome {
    path: PathBuf,
    opened: Option<PathBuf>,
}

impl DaemonHome {
    /// The home at `path` for a session that works in `project`: a worktree of the home, a directory in
    /// one, or a directory elsewhere. Both are absolute and without links.
    pub fn of(path: &Path, project: &Path) -> Self {
        let worktrees = path.join(WORKTREES);
        let inside = project.strip_prefix(&worktrees).ok();
        let first = inside.and_then(|inside| inside.components().next());
        let opened = match first {
            Some(Component::Normal(name)) => Some(worktrees.join(name)),
            _ => None,
        };
        Self {
            path: path.to_owned(),
            opened,
        }
    }

    /// The home of which nothing is open.
    pub fn closed(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            opened: None,
        }
    }

    /// Its directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The worktree that the session may use, the only place in the home.
    pub fn opened(&self) -> Option<&Path> {
        self.opened.as_deref()
    }

    /// Returns whether a path, absolute and without links, is in the home and not open.
    pub fn keeps(&self, path: &Path) -> bool {
        path.starts_with(&self.path) && !self.opens(path)
    }

    /// Returns whether the path is in the worktree that is open.
    pub fn opens(&self, path: &Path) -> bool {
        self.opened.as_ref().is_some_and(|it| path.starts_with(it))
    }

    /// The part of a path whose names tell what it is. Those above a worktree tell only where the home is.
    pub(crate) fn telling<'a>(&self, path: &'a Path) -> &'a Path {
        let inside = self.opened.as_ref();
        inside
            .and_then(|opened| path.strip_prefix(opened).ok())
            .unwrap_or(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: &str = "/home/u/.scorel";

    #[test]
    fn only_the_worktree_of_the_session_is_open() {
        for project in ["worktrees/rti_1", "worktrees/rti_1/crates/a"] {
            let home = DaemonHome::of(Path::new(HOME), &Path::new(HOME).join(project));
            let keeps = |path: &str| home.keeps(&Path::new(HOME).join(path));
            assert!(!keeps("worktrees/rti_1") && !keeps("worktrees/rti_1/src"));
            for path in [
                "",
                "env",
                "worktrees",
                "worktrees/rti_10",
                "worktrees/rti_1.json",
            ] {
                assert!(keeps(path), "{path}");
            }
            assert!(!home.keeps(Path::new("/home/u/work")));
        }
    }

    #[test]
    fn nothing_is_open_to_sessions_elsewhere() {
        for project in [
            "/p",
            "/home/u",
            "/home/u/.scorel",
            "/home/u/.scorel/worktrees",
        ] {
            let home = DaemonHome::of(Path::new(HOME), Path::new(project));
            assert_eq!(home, DaemonHome::closed(Path::new(HOME)), "{project}");
            assert!(home.keeps(&Path::new(HOME).join("worktrees/rti_1/src")));
        }
    }
}
