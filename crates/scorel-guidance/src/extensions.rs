//! Extensions and plugins: directories that the user, or a project, has put into `extensions/`.
//!
//! In: the two directories. Out: each with its content and its place, or the reason why it is inert. A project's is
//! inert until its item `extension:<id>` is trusted, and is used from the checked copy.

mod content;
mod found;
mod readings;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_config::{ConfigSource, ExtensionsConfig};
use scorel_extension::{ExtensionId, nearest};
use scorel_home::trusted_file::Trust;

use crate::project::SkillProject;
use crate::trust::{Admitted, ProjectItem, ProjectTrust, TrustError, TrustStore};
use readings::Readings;

pub use content::{ExtensionContent, ExtensionReading};
pub use found::{ExtensionState, FoundExtension, UsedPlugin};

/// The directory of extensions, in the daemon's home and in a project's.
pub const EXTENSIONS_DIR: &str = "extensions";

/// The places of extensions in the daemon's home.
const DATA_DIR: &str = "extension-data";

/// The directory of a project that is for the daemon.
const PROJECT_DIR: &str = ".scorel";

/// Extensions of one place.
const MAX_EXTENSIONS: usize = 100;

/// Finds extensions and plugins, as they are now.
#[derive(Debug, Clone)]
pub struct Extensions {
    home: PathBuf,
    trust: Arc<TrustStore>,
    config: Arc<ConfigSource>,
    readings: Arc<Readings>,
}

impl Extensions {
    pub fn new(home: &Path, trust: Arc<TrustStore>, config: Arc<ConfigSource>) -> Self {
        Self {
            home: home.to_owned(),
            trust,
            config,
            readings: Arc::default(),
        }
    }

    /// Those of the user, then those of the project, each in the order that the user has configured. One of the
    /// project never replaces one of the user. Reads directories, and files that have changed; blocks.
    ///
    /// # Errors
    /// If the list of trusted items cannot be read.
    pub fn find(&self, project: Option<&SkillProject>) -> Result<Vec<FoundExtension>, TrustError> {
        let settings = self.settings();
        let of_user = self.of_the_user().into_iter().map(|(id, dir)| {
            let state = match settings.disabled.contains(&id) {
                true => ExtensionState::Disabled,
                false => ExtensionState::Usable(dir.clone()),
            };
            self.found(id, dir, false, state)
        });
        let mut found: Vec<FoundExtension> = of_user.collect();
        let dirs = project.map(|project| self.project_directories(&project.dir));
        if let (Some(project), Some(dirs @ [_, ..])) = (project, dirs.as_deref()) {
            let trust = self.trust.of(project.id)?;
            for (id, dir) in dirs {
                let state = match found.iter().any(|it| it.id == *id) {
                    true => ExtensionState::Shadowed,
                    false if settings.disabled.contains(id) => ExtensionState::Disabled,
                    false => state(&trust, id, dir),
                };
                found.push(self.found(id.clone(), dir.clone(), true, state));
            }
        }
        let place = |id: &ExtensionId| settings.order.iter().position(|it| it == id);
        let rank = |id: &ExtensionId| place(id).unwrap_or(usize::MAX);
        found.sort_by_key(|it| (it.is_project, rank(&it.id)));
        Ok(found)
    }

    /// The extensions of a project, as items to be trusted. Reads as [`Extensions::find`].
    pub fn project_items(&self, project: &Path) -> Vec<ProjectItem> {
        let of_user = self.of_the_user();
        let dirs = self.project_directories(project).into_iter();
        let items = dirs.map(|(id, dir)| {
            let reading = self.readings.of(&dir, &id, Trust::Untrusted);
            let mut content = reading.parts();
            content.not_run.extend(reading.problems.iter().cloned());
            ProjectItem {
                is_shadowed: of_user.iter().any(|(it, _)| *it == id),
                content,
                ..item(&id, &dir)
            }
        });
        items.collect()
    }

    /// The plugins that may be used now. Reads as [`Extensions::find`].
    ///
    /// # Errors
    /// As [`Extensions::find`].
    pub fn plugins(&self, project: Option<&SkillProject>) -> Result<Vec<UsedPlugin>, TrustError> {
        let found = self.find(project)?;
        Ok(found.iter().filter_map(FoundExtension::used).collect())
    }

    fn found(
        &self,
        id: ExtensionId,
        dir: PathBuf,
        is_project: bool,
        state: ExtensionState,
    ) -> FoundExtension {
        let trust = match is_project {
            true => Trust::Untrusted,
            false => Trust::Ours,
        };
        let read_dir = match &state {
            ExtensionState::Usable(dir) => dir,
            _ => &dir,
        };
        FoundExtension {
            data: self.home.join(DATA_DIR).join(id.as_str()),
            reading: self.readings.of(read_dir, &id, trust),
            id,
            dir,
            is_project,
            state,
        }
    }

    /// The settings of extensions, which only the user's file has.
    pub fn settings(&self) -> ExtensionsConfig {
        self.config.current(None).extensions.clone()
    }

    /// The settings for extensions that are not among those found, a sentence each.
    pub fn unknown_settings(&self, found: &[FoundExtension]) -> Vec<String> {
        let settings = self.settings();
        let config = settings.config.keys().map(|id| ("config", id));
        let named = settings.disabled.iter().map(|id| ("disabled", id));
        let named = named.chain(settings.order.iter().map(|id| ("order", id)));
        let unknown = named
            .chain(config)
            .filter(|(_, id)| !found.iter().any(|it| it.id == **id));
        let said = unknown.map(|(key, id)| {
            let known = found.iter().map(|it| it.id.as_str());
            let meant = nearest(id.as_str(), known);
            let meant = meant.map_or_else(String::new, |it| format!("; did you mean `{it}`?"));
            format!("`[extensions]`, `{key}`: there is no extension `{id}` here{meant}")
        });
        said.collect()
    }

    fn of_the_user(&self) -> Vec<(ExtensionId, PathBuf)> {
        directories(&self.home.join(EXTENSIONS_DIR), Links::Follow)
    }

    /// The home is the user's own, also where a project is at the user's home directory.
    fn project_directories(&self, project: &Path) -> Vec<(ExtensionId, PathBuf)> {
        let scorel = project.join(PROJECT_DIR);
        let real = |path: &Path| path.canonicalize().ok();
        if !scorel.symlink_metadata().is_ok_and(|it| it.is_dir())
            || real(&scorel) == real(&self.home)
        {
            return Vec::new();
        }
        directories(&scorel.join(EXTENSIONS_DIR), Links::Refuse)
    }
}

fn item(id: &ExtensionId, dir: &Path) -> ProjectItem {
    ProjectItem::directory(format!("extension:{id}"), dir.to_owned())
}

fn state(trust: &ProjectTrust, id: &ExtensionId, dir: &Path) -> ExtensionState {
    match trust.admit(&item(id, dir)) {
        Ok(Admitted::Copy(copy)) => ExtensionState::Usable(copy),
        Ok(Admitted::InPlace) => ExtensionState::Usable(dir.to_owned()),
        Err(inert) => ExtensionState::Inert(inert),
    }
}

/// Says whether links are followed to an extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Links {
    Follow,
    /// A link could lead out of the project.
    Refuse,
}

/// The directories whose names are ids, sorted.
fn directories(dir: &Path, links: Links) -> Vec<(ExtensionId, PathBuf)> {
    let is_dir = |path: &Path| match links {
        Links::Follow => path.is_dir(),
        Links::Refuse => path.symlink_metadata().is_ok_and(|it| it.is_dir()),
    };
    if !is_dir(dir) {
        return Vec::new();
    }
    let entries = fs::read_dir(dir).into_iter().flatten();
    let named = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let id = entry.file_name().to_str()?.parse::<ExtensionId>().ok()?;
        Some((id, entry.path()))
    });
    let mut found: Vec<_> = named
        .filter(|(_, path)| is_dir(path))
        .take(MAX_EXTENSIONS)
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests;
