use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::{info, warn};

use super::parse::parse;
use super::project::ProjectLayer;
use super::{Config, ConfigError};
use crate::trusted_file::{self, Stamp, Trust};

/// Upper bound of a configuration file.
pub(super) const MAX_BYTES: u64 = 1024 * 1024;

/// Cached projects; beyond that the cache is emptied.
const MAX_PROJECTS: usize = 256;

/// The configuration files, read again when they change.
///
/// Each use compares the file's [`Stamp`] with the one that was read: one `stat`. That is cheaper than
/// watching directories, works on every file system, and leaves no window in which a change has not
/// arrived yet.
///
/// A file that becomes invalid is reported, and its last valid content stays in effect.
#[derive(Debug)]
pub struct ConfigSource {
    user_path: PathBuf,
    state: Mutex<ConfigCache>,
    /// Held while the user's file is changed.
    editing: Mutex<()>,
}

#[derive(Debug)]
struct ConfigCache {
    user: Cached<Arc<Config>>,
    projects: HashMap<PathBuf, CachedProject>,
}

/// A project's file, and the configuration resolved from it over the user's.
#[derive(Debug)]
struct CachedProject {
    layer: Cached<Option<ProjectLayer>>,
    resolved: Option<(Arc<Config>, Arc<Config>)>,
}

/// The last valid content of a file.
#[derive(Debug)]
struct Cached<T> {
    /// The stamp that was read (`Some(None)`: no file); `None` to read again next time.
    seen: Option<Option<Stamp>>,
    good: T,
    problem: Option<String>,
}

impl ConfigSource {
    /// Reads the user's file at `path`; a missing file means the defaults.
    pub fn open(path: &Path) -> Result<Self, ConfigError> {
        let (stamp, config) = read_user(path)?;
        let good = Arc::new(config.unwrap_or_default());
        let user = Cached {
            seen: settled(stamp),
            good,
            problem: None,
        };
        let state = ConfigCache {
            user,
            projects: HashMap::new(),
        };
        Ok(Self {
            user_path: path.to_owned(),
            state: Mutex::new(state),
            editing: Mutex::default(),
        })
    }

    /// The current configuration for the project in that directory, or without one. Blocks on `stat`,
    /// and on reading if a file changed.
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

    /// Why current files are not in effect; `None` if all are valid.
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

    pub(super) fn user_path(&self) -> &Path {
        &self.user_path
    }

    /// Until the guard is dropped, no one else changes the user's file for a client.
    pub(super) fn editing(&self) -> MutexGuard<'_, ()> {
        // Poisoning can be ignored: the file is replaced as a whole.
        self.editing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For a project at the user's home directory, `.scorel/config.toml` is the user's own file.
    fn is_users_file(&self, path: &Path) -> bool {
        match (Stamp::current(path), Stamp::current(&self.user_path)) {
            (Ok(Some(project)), Ok(Some(user))) => project.same_file(&user),
            _ => path == self.user_path,
        }
    }

    fn lock(&self) -> MutexGuard<'_, ConfigCache> {
        // Poisoning can be ignored: every field is replaced as a whole, so a panic cannot have left it
        // half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConfigCache {
    fn project(&mut self, path: &Path) -> &mut CachedProject {
        if self.projects.len() >= MAX_PROJECTS && !self.projects.contains_key(path) {
            self.projects.clear();
        }
        self.projects
            .entry(path.to_owned())
            .or_insert_with(|| CachedProject {
                layer: Cached {
                    seen: None,
                    good: None,
                    problem: None,
                },
                resolved: None,
            })
    }
}

impl CachedProject {
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
    /// Reads the file again if its stamp changed, and returns whether the content did. `read` yields
    /// `None` for a missing file.
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
                let gone = format!(
                    "{} was removed; its last content stays in effect",
                    path.display()
                );
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

/// A stamp too recent to tell two changes apart is not kept, so the file is read again next time.
fn settled(stamp: Option<Stamp>) -> Option<Option<Stamp>> {
    match stamp {
        Some(stamp) if !stamp.is_settled() => None,
        other => Some(other),
    }
}

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
    let Some((stamp, bytes)) = trusted_file::read(path, MAX_BYTES, Trust::Untrusted)? else {
        return Ok((None, None));
    };
    let (document, origin) = parse(path, &bytes)?;
    Ok((Some(stamp), Some(ProjectLayer::new(&document, &origin))))
}
