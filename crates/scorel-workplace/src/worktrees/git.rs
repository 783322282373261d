//! Running git.
//!
//! A project's configuration can come from anywhere, and much of it makes git run programs: hooks, monitors,
//! filters, transports. Hooks, monitors and transports are switched off. Filters change the checked-out
//! files, so they run, in the sandbox of commands; without a sandbox they are switched off too.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use scorel_exec::Environment;

use super::error::WorktreeError;

/// How long git may take.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(30);

/// Bytes that are kept of what git writes, of each stream.
pub(super) const MAX_OUTPUT: usize = 64 * 1024;

/// Variables that say which repository git works on, and much else, begin like this.
const VARIABLES: &str = "GIT_";

/// What git does not do for the daemon.
const SETTINGS: [(&str, &str); 12] = [
    ("advice.detachedHead", "false"),
    // A branch that tracks another is noted in the configuration, which is protected.
    ("branch.autoSetupMerge", "false"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.quotePath", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("protocol.allow", "never"),
    ("status.submoduleSummary", "false"),
    ("submodule.recurse", "false"),
    ("worktree.guessRemote", "false"),
    ("worktree.useRelativePaths", "false"),
];

/// Runs git, and waits for it.
pub(crate) trait GitProgram: std::fmt::Debug + Send + Sync {
    /// Returns whether what git runs in turn is kept in a sandbox.
    fn is_confined(&self) -> bool;

    /// Runs git to its end. Blocks for at most [`TIME_LIMIT`].
    ///
    /// # Errors
    /// Git cannot be started, or did not end in time. What git itself says is in the output.
    fn run(&self, order: &GitOrder) -> Result<GitOutput, WorktreeError>;
}

/// What git is to do.
#[derive(Debug, Clone)]
pub(crate) struct GitOrder {
    /// Where it runs.
    pub directory: PathBuf,
    pub arguments: Vec<String>,
    /// The directory of the project, whose environment of commands it gets.
    pub project: PathBuf,
    /// The worktree that it may look at.
    pub worktree: Option<PathBuf>,
    /// The data of the repository, if git may change that and the worktree.
    pub changes: Option<PathBuf>,
    /// Filters that do not run.
    pub(super) without_filters: Vec<String>,
}

/// How git has ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct GitOutput {
    /// `None` if a signal has ended it.
    pub code: Option<i32>,
    /// At most [`MAX_OUTPUT`] bytes, as `stderr`.
    pub stdout: String,
    pub stderr: String,
}

/// Where programs are looked for without a `PATH`, as a shell does then.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Where git is, by the `PATH` of its environment.
pub(super) fn program(environment: &Environment) -> Result<PathBuf, WorktreeError> {
    let path = environment.get("PATH").unwrap_or(USUAL_PATH);
    let mut places = env::split_paths(path).filter(|place| place.is_absolute());
    places
        .find_map(|place| Some(place.join("git")).filter(|program| program.is_file()))
        .ok_or(WorktreeError::NotInstalled)
}

impl GitOrder {
    /// Looks at a project's repository and changes nothing.
    pub(super) fn looking(project: PathBuf, arguments: &[&str]) -> Self {
        Self {
            directory: project.clone(),
            arguments: arguments.iter().map(|it| (*it).to_owned()).collect(),
            project,
            worktree: None,
            changes: None,
            without_filters: Vec::new(),
        }
    }

    /// For messages: without options and paths.
    pub(super) fn name(&self) -> String {
        let words = self.arguments.iter().filter(|it| !it.starts_with('-'));
        let is_word = |it: &&String| it.chars().all(|one| one.is_ascii_lowercase() || one == '-');
        let words: Vec<&str> = words.take_while(is_word).map(String::as_str).collect();
        words.join(" ")
    }

    /// The environment that git gets on top of `base`.
    pub(super) fn environment(&self, base: &Environment) -> Environment {
        let own = |(name, _): &(&str, &str)| !name.starts_with(VARIABLES) && *name != "LANGUAGE";
        let kept = base.iter().filter(own);
        let kept = kept.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut environment = Environment::of(kept);
        for (name, value) in [
            ("GIT_LFS_SKIP_SMUDGE", "1"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            // Messages are read.
            ("LC_ALL", "C"),
        ] {
            environment.set(name, value);
        }
        for (name, value) in SETTINGS {
            environment = environment.with_git_setting(name, value);
        }
        for filter in &self.without_filters {
            for (key, value) in [
                ("smudge", ""),
                ("clean", ""),
                ("process", ""),
                ("required", "false"),
            ] {
                environment =
                    environment.with_git_setting(&format!("filter.{filter}.{key}"), value);
            }
        }
        environment
    }
}

impl GitOutput {
    pub(super) fn is_ok(&self) -> bool {
        self.code == Some(0)
    }

    /// The output, if git has succeeded.
    pub(super) fn checked(self, order: &GitOrder) -> Result<Self, WorktreeError> {
        if self.is_ok() {
            return Ok(self);
        }
        Err(WorktreeError::refused(&order.name(), &self.stderr))
    }
}
