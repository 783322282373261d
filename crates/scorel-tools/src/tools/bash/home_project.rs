//! A project that is the user's home directory, or has it in it.
//!
//! Programs and settings in it that run outside of the sandbox later do not belong to the work on it.

use std::env;
use std::path::{Path, PathBuf};

use scorel_exec::{Environment, GuardRule, GuardedPlace};

/// Programs, and what builds obey, that need not be on the path.
const RUN_LATER: [&str; 15] = [
    ".asdf",
    ".cargo/bin",
    ".cargo/config",
    ".cargo/config.toml",
    ".cargo/env",
    ".local/bin",
    ".local/lib",
    ".local/share/mise",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".sdkman",
    ".volta",
    "bin",
];

/// Places of a home directory that are protected even while they are absent, besides those that are
/// at the top of every project.
const WHILE_ABSENT: [&str; 2] = [".gitconfig", ".ssh"];

/// The user's home directory, in a project.
#[derive(Debug)]
pub(super) struct HomeProject<'a> {
    /// Relative to the project; empty if it is the project.
    home: PathBuf,
    project: &'a Path,
    environment: &'a Environment,
}

impl<'a> HomeProject<'a> {
    /// `None` if the home directory is not in the project.
    pub(super) fn of(project: &'a Path, environment: &'a Environment) -> Option<Self> {
        let home = Path::new(environment.get("HOME")?).canonicalize().ok()?;
        let home = home.strip_prefix(project).ok()?.to_owned();
        Some(Self {
            home,
            project,
            environment,
        })
    }

    /// Programs and settings that commands must not change. Absolute paths; they may be absent.
    pub(super) fn run_later(&self) -> Vec<PathBuf> {
        let home = self.project.join(&self.home);
        let path = self.environment.get("PATH").unwrap_or_default();
        let on_path = env::split_paths(path).filter_map(|place| place.canonicalize().ok());
        on_path
            .filter(|place| place.starts_with(&home) && *place != home)
            .chain(RUN_LATER.iter().map(|name| home.join(name)))
            .collect()
    }

    /// Places to guard because there is nothing yet to mount over.
    pub(super) fn absent(&self) -> impl Iterator<Item = GuardedPlace> {
        let paths = WHILE_ABSENT.iter().map(|name| self.home.join(name));
        let is_absent = |path: &PathBuf| self.project.join(path).symlink_metadata().is_err();
        paths.filter(is_absent).map(|path| GuardedPlace {
            path,
            anchor: self.home.clone(),
            rule: GuardRule::Unchanged,
        })
    }
}
