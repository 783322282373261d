//! Extensions and plugins: directories that the user, or a project, has put into `extensions/`.
//!
//! In: the two directories. Out: each with its place, or the reason why it is inert. A project's is inert until its
//! item `extension:<id>` is trusted, and is used from the checked copy.

mod found;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_extension::ExtensionId;

use crate::project::SkillProject;
use crate::trust::{Admitted, ProjectItem, ProjectTrust, TrustError, TrustStore};

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
}

impl Extensions {
    pub fn new(home: &Path, trust: Arc<TrustStore>) -> Self {
        Self {
            home: home.to_owned(),
            trust,
        }
    }

    /// Those of the user, then those of the project. One of the project never replaces one of the user. Reads
    /// directories; blocks.
    ///
    /// # Errors
    /// If the list of trusted items cannot be read.
    pub fn find(&self, project: Option<&SkillProject>) -> Result<Vec<FoundExtension>, TrustError> {
        let of_user = directories(&self.home.join(EXTENSIONS_DIR), Links::Follow);
        let mut found: Vec<FoundExtension> = of_user
            .into_iter()
            .map(|(id, dir)| FoundExtension {
                state: ExtensionState::Usable(dir.clone()),
                ..self.found(id, dir)
            })
            .collect();
        let Some(project) = project else {
            return Ok(found);
        };
        let dirs = self.project_directories(&project.dir);
        if dirs.is_empty() {
            return Ok(found);
        }
        let trust = self.trust.of(project.id)?;
        for (id, dir) in dirs {
            let is_shadowed = found.iter().any(|it| it.id == id);
            let state = state(&trust, &id, &dir, is_shadowed);
            found.push(FoundExtension {
                is_project: true,
                state,
                ..self.found(id, dir)
            });
        }
        Ok(found)
    }

    /// The extensions of a project, as items to be trusted. Reads directories.
    pub fn project_items(&self, project: &Path) -> Vec<ProjectItem> {
        let of_user = directories(&self.home.join(EXTENSIONS_DIR), Links::Follow);
        let dirs = self.project_directories(project).into_iter();
        let items = dirs.map(|(id, dir)| ProjectItem {
            is_shadowed: of_user.iter().any(|(it, _)| *it == id),
            ..item(&id, &dir)
        });
        items.collect()
    }

    /// The plugins that may be used now. Reads their files; blocks.
    ///
    /// # Errors
    /// As [`Extensions::find`].
    pub fn plugins(&self, project: Option<&SkillProject>) -> Result<Vec<UsedPlugin>, TrustError> {
        let found = self.find(project)?;
        Ok(found.iter().filter_map(FoundExtension::used).collect())
    }

    fn found(&self, id: ExtensionId, dir: PathBuf) -> FoundExtension {
        FoundExtension {
            data: self.home.join(DATA_DIR).join(id.as_str()),
            id,
            dir,
            is_project: false,
            state: ExtensionState::Shadowed,
        }
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

fn state(trust: &ProjectTrust, id: &ExtensionId, dir: &Path, is_shadowed: bool) -> ExtensionState {
    let item = ProjectItem {
        is_shadowed,
        ..item(id, dir)
    };
    match trust.admit(&item) {
        _ if is_shadowed => ExtensionState::Shadowed,
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
