use std::path::{Path, PathBuf};

use scorel_extension::ExtensionId;
use scorel_extension::program::MANIFEST;
use scorel_plugin::{Plugin, PluginPlace, PluginReading, is_plugin};

use crate::trust::Inert;

/// An extension or plugin that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundExtension {
    pub id: ExtensionId,
    /// Its directory, which may be untrusted.
    pub dir: PathBuf,
    /// The directory for what it keeps, which may not be there yet.
    pub data: PathBuf,
    /// True if the project brings it.
    pub is_project: bool,
    pub state: ExtensionState,
}

/// Says whether an extension may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExtensionState {
    /// It may, from this directory: the user's own, or the checked copy of a project's.
    Usable(PathBuf),
    Inert(Inert),
    /// It is the project's, and the user has one of this id.
    Shadowed,
}

/// A plugin that may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedPlugin {
    pub plugin: Plugin,
    pub place: PluginPlace,
    /// True if the project brings it.
    pub is_project: bool,
}

impl FoundExtension {
    /// The directory to be read: that which is used, or the one that people are to look at.
    pub fn shown_dir(&self) -> &Path {
        match &self.state {
            ExtensionState::Usable(dir) => dir,
            ExtensionState::Inert(_) | ExtensionState::Shadowed => &self.dir,
        }
    }

    /// The plugin in its directory, for people; `None` if there is none, or a manifest of ours. Reads files.
    pub fn reading(&self) -> Option<PluginReading> {
        let dir = self.shown_dir();
        let is_ours = dir.join(MANIFEST).symlink_metadata().is_ok();
        (!is_ours && is_plugin(dir)).then(|| PluginReading::of(dir, Some(&self.id)))
    }

    /// The plugin, if it may be used. Reads files.
    pub fn used(&self) -> Option<UsedPlugin> {
        let ExtensionState::Usable(root) = &self.state else {
            return None;
        };
        Some(UsedPlugin {
            plugin: self.reading()?.plugin?,
            place: PluginPlace {
                root: root.clone(),
                data: self.data.clone(),
            },
            is_project: self.is_project,
        })
    }
}
