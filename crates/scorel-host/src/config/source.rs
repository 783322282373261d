use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::{info, warn};

use super::parse::parse;
use super::project::ProjectLayer;
use super::{Config, ConfigError};
use crate::trusted_file::{self, Stamp, Trust};

/// A configuration is a page; nobody means one of this size.
const MAX_BYTES: u64 = 1024 * 1024;

/// How many projects' files are remembered.
const MAX_PROJECTS: usize = 256;

/// The configuration files, read again when they change.
///
/// Each use looks whether the file is still the one that was read, which costs a system call. That
/// is less than it takes to watch directories, works on every file system, and a change applies to
/// the next turn without a moment in between where it might not.
///
/// A file that became invalid is reported and what it said before stays in effect.
#[derive(Debug)]
pub struct ConfigSource {
    user_path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    user: Cached<Arc<Config>>,
    projects: HashMap<PathBuf, Project>,
}

/// A project's file, and what came of it under the user's.
#[derive(Debug)]
struct Project {
    layer: Cached<Option<ProjectLayer>>,
    resolved: Option<(Arc<Config>, Arc<Config>)>,
}

/// The last good content of a file.
#[derive(Debug)]
struct Cached<T> {
    /// The version that was looked at; `None` to look again in any case.
    seen: Option<Option<Stamp>>,
    good: T,
    problem: Option<String>,
}

impl ConfigSource {
    /// Reads the user's file at `path`; a missing file means the defaults.
    ///
    /// # Errors
    /// The file is invalid or not safe to read.
    pub fn open(path: &Path) -> Result<Self, ConfigError> {
        let (stamp, config) = read_user(path)?;
        let good = Arc::new(config.unwrap_or_default());
        let user = Cached {
            seen: settled(stamp),
            good,
            problem: None,
        };
        let state = State {
            user,
            projects: HashMap::new(),
        };
        Ok(Self {
            user_path: path.to_owned(),
            state: Mutex::new(state),
        })
    }

    /// What holds now in the project with that directory, or without a project. Blocks for a look
    /// at the files.
    #[must_use]
    pub fn current(&self, project: Option<&Path>) -> Arc<Config> {
        let mut state = self.lock();
        state.user.refresh(&self.user_path, || {
            let (stamp, config) = read_user(&self.user_path)?;
            Ok((stamp, config.map(Arc::new)))
        });
        let user = Arc::clone(&state.user.good);
        let Some(directory) = project else {
            return user;
        };
        let path = directory.join(".scorel").join("config.toml");
        if self.is_users_file(&path) {
            return user;
        }
        state.project(&path).resolve(&path, &user)
    }

    /// What is wrong with the files as they are now, in words; `None` if all is well.
    #[must_use]
    pub fn problem(&self) -> Option<String> {
        let state = self.lock();
        let projects = state
            .projects
            .values()
            .filter_map(|known| known.layer.problem.as_ref());
        let mut problems: Vec<_> = projects.map(String::as_str).collect();
        problems.sort_unstable();
        problems.splice(0..0, state.user.problem.as_deref());
        (!problems.is_empty()).then(|| problems.join("\n"))
    }

    /// A project in the user's home directory has the user's file for its own.
    fn is_users_file(&self, path: &Path) -> bool {
        match (Stamp::current(path), Stamp::current(&self.user_path)) {
            (Ok(Some(project)), Ok(Some(user))) => project.same_file(&user),
            _ => path == self.user_path,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Each part is replaced as a whole, so a panic elsewhere cannot have left half of a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn project(&mut self, path: &Path) -> &mut Project {
        if self.projects.len() >= MAX_PROJECTS && !self.projects.contains_key(path) {
            self.projects.clear();
        }
        self.projects
            .entry(path.to_owned())
            .or_insert_with(|| Project {
                layer: Cached {
                    seen: None,
                    good: None,
                    problem: None,
                },
                resolved: None,
            })
    }
}

impl Project {
    fn resolve(&mut self, path: &Path, user: &Arc<Config>) -> Arc<Config> {
        let changed = self.layer.refresh(path, || {
            let (stamp, layer) = read_project(path)?;
            Ok((stamp, Some(layer)))
        });
        match &self.resolved {
            Some((base, config)) if !changed && Arc::ptr_eq(base, user) => Arc::clone(config),
            _ => {
                let config = match &self.layer.good {
                    Some(layer) => Arc::new(user.with_project(layer)),
                    None => Arc::clone(user),
                };
                for warning in &config.warnings {
                    warn!("{warning}");
                }
                self.resolved = Some((Arc::clone(user), Arc::clone(&config)));
                config
            }
        }
    }
}

impl<T: PartialEq> Cached<T> {
    /// Reads the file again if it is another one than before, and says whether there is new
    /// content. `read` yields `None` for a file that is gone.
    fn refresh(
        &mut self,
        path: &Path,
        read: impl FnOnce() -> Result<(Option<Stamp>, Option<T>), ConfigError>,
    ) -> bool {
        let now = Stamp::current(path).ok();
        if self.seen.is_some() && self.seen == now {
            return false;
        }
        let (seen, problem, good) = match read() {
            Ok((stamp, Some(good))) => (settled(stamp), None, Some(good)),
            Ok((stamp, None)) => {
                let gone = format!("{} is gone; what it said stays in effect", path.display());
                (settled(stamp), Some(gone), None)
            }
            Err(error) => (now.and_then(settled), Some(describe(&error)), None),
        };
        self.seen = seen;
        self.report(path, problem);
        match good {
            Some(good) if good != self.good => {
                self.good = good;
                true
            }
            _ => false,
        }
    }

    fn report(&mut self, path: &Path, problem: Option<String>) {
        if self.problem == problem {
            return;
        }
        match &problem {
            Some(problem) => warn!("configuration: {problem}"),
            None => info!(?path, "configuration is valid again"),
        }
        self.problem = problem;
    }
}

/// A version that may still change without looking different is looked at again.
fn settled(stamp: Option<Stamp>) -> Option<Option<Stamp>> {
    match stamp {
        Some(stamp) if !stamp.is_settled() => None,
        other => Some(other),
    }
}

/// The error and its causes in one line.
fn describe(error: &ConfigError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}

fn read_user(path: &Path) -> Result<(Option<Stamp>, Option<Config>), ConfigError> {
    let Some((stamp, bytes)) = trusted_file::read(path, MAX_BYTES, Trust::Ours)? else {
        return Ok((None, None));
    };
    let (document, origin) = parse(path, &bytes)?;
    Ok((Some(stamp), Some(Config::from_user(&document, &origin)?)))
}

fn read_project(path: &Path) -> Result<(Option<Stamp>, Option<ProjectLayer>), ConfigError> {
    let Some((stamp, bytes)) = trusted_file::read(path, MAX_BYTES, Trust::Nobody)? else {
        return Ok((None, None));
    };
    let (document, origin) = parse(path, &bytes)?;
    Ok((Some(stamp), Some(ProjectLayer::new(&document, &origin))))
}
