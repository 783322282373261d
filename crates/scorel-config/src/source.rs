use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_home::trusted_file::{self, Stamp};
use scorel_inbound::{ChannelsConfig, CronConfig};
use scorel_proto::ConfigProblem;
use tokio::sync::{Notify, watch};
use tracing::warn;

use super::cached_file::{CachedFile, FileContent, SeenStamp};
use super::file_layer::{FileLayer, MAX_BYTES};
use super::news::{ConfigNews, PendingNews};
use super::origin::DocumentOrigin;
use super::parse::{self, origin_of};
use super::project::ProjectLayer;
use super::schema::Document;
use super::{Config, ConfigError};

/// Cached projects; beyond that the cache is emptied.
const MAX_PROJECTS: usize = 256;

/// The configuration files, read again when they change.
///
/// Each use compares the file's [`Stamp`] with the one that was read: one `stat`. That works on every
/// file system, and leaves no window in which a change has not arrived yet. `ConfigWatch` only makes the
/// comparison earlier.
///
/// A file that becomes invalid is reported, and its last valid content stays in effect. A removed file
/// means the defaults.
#[derive(Debug)]
pub struct ConfigSource {
    user_path: PathBuf,
    state: Mutex<ConfigCache>,
    /// Held while the user's file is changed.
    editing: Mutex<()>,
    /// Rung when there is something to tell, or another file to watch.
    bell: Arc<Notify>,
    /// Changes with the user's configuration, once the watch has seen it.
    changes: watch::Sender<u64>,
}

#[derive(Debug)]
struct ConfigCache {
    user: CachedFile<Arc<Config>>,
    /// By the paths of their files.
    projects: HashMap<PathBuf, CachedProject>,
    news: PendingNews,
}

/// A project's file, and the configuration resolved from it over the user's.
#[derive(Debug)]
struct CachedProject {
    dir: PathBuf,
    layer: CachedFile<Option<ProjectLayer>>,
    /// Whether the file was read before: the first read is no change.
    is_known: bool,
    resolved: Option<(Arc<Config>, Arc<Config>)>,
}

impl ConfigSource {
    /// Reads the user's file at `path`; a missing file means the defaults.
    pub fn open(path: &Path) -> Result<Self, ConfigError> {
        let state = ConfigCache {
            user: CachedFile::new(read_user(path, None)?),
            projects: HashMap::new(),
            news: PendingNews::default(),
        };
        Ok(Self {
            user_path: path.to_owned(),
            state: Mutex::new(state),
            editing: Mutex::default(),
            bell: Arc::default(),
            changes: watch::Sender::default(),
        })
    }

    /// The current configuration for the project in that directory, or without one. Blocks on `stat`,
    /// and on reading if a file changed.
    pub fn current(&self, project: Option<&Path>) -> Arc<Config> {
        let mut state = self.lock();
        let of_user = Stamp::current(&self.user_path).ok();
        let mut is_news = state.refresh_user(&self.user_path, of_user);
        let user = Arc::clone(state.user.meaning());
        let project = project.map(|dir| (dir, project_file(dir)));
        let project = project.map(|(dir, path)| (dir, Stamp::current(&path).ok(), path));
        let config = match project {
            Some((dir, of_project, path)) if !self.is_users_file(&path, of_project, of_user) => {
                is_news |= state.add_project(dir, &path);
                is_news |= state.refresh_project(&path, of_project);
                state.resolved(&path, &user)
            }
            _ => user,
        };
        drop(state);
        if is_news {
            self.bell.notify_one();
        }
        config
    }

    /// Why current files are not in effect; `None` if all are valid.
    pub fn problem(&self) -> Option<String> {
        let problems: Vec<_> = self.problems().iter().map(ToString::to_string).collect();
        (!problems.is_empty()).then(|| problems.join("\n"))
    }

    /// Why the user's file, and that of the project, are not in effect as they were at the last look.
    pub fn problems_of(&self, project: Option<&Path>) -> Vec<ConfigProblem> {
        let state = self.lock();
        let project = project.and_then(|dir| state.projects.get(&project_file(dir)));
        let of_project = project.and_then(|it| it.layer.problem());
        let problems = state.user.problem().into_iter().chain(of_project);
        problems.cloned().collect()
    }

    /// The text that is in effect of the user's file, and of that of the project.
    pub fn texts(&self, project: Option<&Path>) -> [(PathBuf, String); 2] {
        let state = self.lock();
        let path = project.map(project_file).unwrap_or_default();
        let of_project = state.projects.get(&path).map(|it| it.layer.text());
        let of_project = of_project.unwrap_or_default().to_owned();
        let of_user = state.user.text().to_owned();
        [(self.user_path.clone(), of_user), (path, of_project)]
    }

    /// Why files are not in effect as they were at the last look: the user's first, then those of projects.
    pub fn problems(&self) -> Vec<ConfigProblem> {
        let state = self.lock();
        let projects = state.projects.values();
        let mut of_projects: Vec<_> = projects.filter_map(|it| it.layer.problem()).collect();
        of_projects.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let problems = state.user.problem().into_iter().chain(of_projects);
        problems.cloned().collect()
    }

    /// How many changes have come into effect.
    pub fn generation(&self) -> u64 {
        self.lock().news.generation()
    }

    /// Compares the stamps of all known files and takes the unpublished changes. Blocks on the disk.
    pub(crate) fn look(&self) -> Vec<ConfigNews> {
        let mut state = self.lock();
        state.refresh_user(&self.user_path, Stamp::current(&self.user_path).ok());
        let paths: Vec<_> = state.projects.keys().cloned().collect();
        for path in paths {
            state.refresh_project(&path, Stamp::current(&path).ok());
        }
        state.news.take()
    }

    /// Counts a change of secrets.
    pub(crate) fn count_secrets(&self) -> u64 {
        self.lock().news.count()
    }

    /// The files that are known: the user's, and those of projects.
    pub fn files(&self) -> Vec<PathBuf> {
        let state = self.lock();
        let mut projects: Vec<_> = state.projects.keys().cloned().collect();
        projects.sort_unstable();
        projects.insert(0, self.user_path.clone());
        projects
    }

    /// Rung when a look found something, or there is another file to watch.
    pub const fn bell(&self) -> &Arc<Notify> {
        &self.bell
    }

    /// Tells of a change of the user's configuration.
    pub(crate) fn has_changed(&self, generation: u64) {
        self.changes.send_replace(generation);
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
    fn is_users_file(&self, path: &Path, project: SeenStamp, user: SeenStamp) -> bool {
        match (project.flatten(), user.flatten()) {
            (Some(project), Some(user)) => project.same_file(&user),
            _ => path == self.user_path,
        }
    }

    fn lock(&self) -> MutexGuard<'_, ConfigCache> {
        // Poisoning can be ignored: every field is replaced as a whole, so a panic cannot have left it
        // half changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CronConfig for ConfigSource {
    fn channels(&self) -> ChannelsConfig {
        self.current(None).channels.clone()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

impl ConfigCache {
    /// Returns whether there is something to tell.
    fn refresh_user(&mut self, path: &Path, now: SeenStamp) -> bool {
        let news = self.user.refresh(path, now, |known| read_user(path, known));
        self.news.note(path, None, news, self.user.problem())
    }

    /// Adds a project, whose file is at `path`. Returns whether it is new.
    fn add_project(&mut self, dir: &Path, path: &Path) -> bool {
        if self.projects.contains_key(path) {
            return false;
        }
        if self.projects.len() >= MAX_PROJECTS {
            self.projects.clear();
        }
        let project = CachedProject {
            dir: dir.to_owned(),
            layer: CachedFile::unread(None),
            is_known: false,
            resolved: None,
        };
        self.projects.insert(path.to_owned(), project);
        true
    }

    /// Returns whether there is something to tell.
    fn refresh_project(&mut self, path: &Path, now: SeenStamp) -> bool {
        let Some(project) = self.projects.get_mut(path) else {
            return false;
        };
        let layer = &mut project.layer;
        let mut news = layer.refresh(path, now, |known| read_project(path, known));
        if news.keys.is_some() {
            project.resolved = None;
        }
        if !project.is_known {
            project.is_known = true;
            news.keys = None;
        }
        let problem = project.layer.problem();
        self.news.note(path, Some(&project.dir), news, problem)
    }

    /// The configuration of a project over the user's.
    fn resolved(&mut self, path: &Path, user: &Arc<Config>) -> Arc<Config> {
        let Some(project) = self.projects.get_mut(path) else {
            return Arc::clone(user);
        };
        match &project.resolved {
            Some((base, config)) if Arc::ptr_eq(base, user) => Arc::clone(config),
            _ => project.resolve(user),
        }
    }
}

impl CachedProject {
    fn resolve(&mut self, user: &Arc<Config>) -> Arc<Config> {
        let config = match self.layer.meaning() {
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

fn project_file(dir: &Path) -> PathBuf {
    dir.join(".scorel").join("config.toml")
}

fn read_user(
    path: &Path,
    known: Option<&FileContent<Arc<Config>>>,
) -> Result<FileContent<Arc<Config>>, ConfigError> {
    let meaning = |document: &Document, origin: &DocumentOrigin| {
        Ok(Arc::new(Config::from_user(document, origin)?))
    };
    read(path, FileLayer::User, known, Arc::default, meaning)
}

fn read_project(
    path: &Path,
    known: Option<&FileContent<Option<ProjectLayer>>>,
) -> Result<FileContent<Option<ProjectLayer>>, ConfigError> {
    let meaning = |document: &Document, origin: &DocumentOrigin| {
        ProjectLayer::new(document, origin).map(Some)
    };
    read(path, FileLayer::Project, known, || None, meaning)
}

/// Reads a file, and parses it unless its text is that of `known`.
fn read<T: Clone>(
    path: &Path,
    layer: FileLayer,
    known: Option<&FileContent<T>>,
    absent: impl FnOnce() -> T,
    meaning: impl FnOnce(&Document, &DocumentOrigin) -> Result<T, ConfigError>,
) -> Result<FileContent<T>, ConfigError> {
    let Some((stamp, bytes)) = trusted_file::read(path, MAX_BYTES, layer.trust())? else {
        return Ok(FileContent::absent(absent()));
    };
    if let Some(known) = known.filter(|known| known.text.as_bytes() == bytes) {
        let mut same = known.clone();
        same.stamp = Some(stamp);
        return Ok(same);
    }
    let origin = origin_of(path, &bytes)?;
    Ok(FileContent {
        stamp: Some(stamp),
        meaning: meaning(&parse::read(&origin)?, &origin)?,
        text: origin.text().to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_text_that_is_in_effect_is_not_parsed_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        fs::write(&path, "[runtime]\nmaxSteps = 7").unwrap();
        let known = read_user(&path, None).unwrap();
        let again = read_user(&path, Some(&known)).unwrap();
        assert!(Arc::ptr_eq(&known.meaning, &again.meaning));
        fs::write(&path, "[runtime]\nmaxSteps = 8").unwrap();
        let other = read_user(&path, Some(&known)).unwrap();
        assert_eq!(other.meaning.runtime.max_steps, 8);
    }
}
