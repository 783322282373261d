use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_extension::ExtensionId;
use scorel_plugin::{Plugin, PluginPlace};
use scorel_proto::{Channel, ChannelKind};

use super::content::ExtensionReading;
use crate::trust::Inert;

/// An extension or plugin that was found.
#[derive(Debug, Clone)]
pub struct FoundExtension {
    pub id: ExtensionId,
    /// Its directory, which may be untrusted.
    pub dir: PathBuf,
    /// The directory for what it keeps, which may not be there yet.
    pub data: PathBuf,
    /// True if the project brings it.
    pub is_project: bool,
    pub state: ExtensionState,
    /// Read from the directory that is used, or from the one that people are to look at.
    pub reading: Arc<ExtensionReading>,
}

impl FoundExtension {
    /// The channels through which its program may send messages, if extensions are `enabled` to.
    pub fn channels(&self, enabled: bool) -> Vec<Channel> {
        let is_usable = matches!(self.state, ExtensionState::Usable(_));
        let manifest = self.reading.manifest().filter(|_| is_usable);
        let channel = |name: &String| Channel {
            name: name.clone(),
            kind: ChannelKind::Extension,
            enabled,
            extension: Some(self.id.to_string()),
            cron: None,
        };
        let declared = manifest.into_iter().flat_map(|it| &it.channels);
        declared.map(channel).collect()
    }
}

/// Says whether an extension may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExtensionState {
    /// It may, from this directory: the user's own, or the checked copy of a project's.
    Usable(PathBuf),
    Inert(Inert),
    /// The user's configuration turns it off.
    Disabled,
    /// It is the project's, and the user has one of this id.
    Shadowed,
}

/// A plugin that may be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedPlugin {
    pub plugin: Arc<Plugin>,
    pub place: PluginPlace,
    /// True if the project brings it.
    pub is_project: bool,
}

impl FoundExtension {
    /// The directories of its skills, each with what is wrong with its place.
    pub fn skill_dirs(&self) -> Vec<(PathBuf, Option<&'static str>)> {
        let own = self.reading.manifest().map(|it| it.skills.as_slice());
        let root = match &self.state {
            ExtensionState::Usable(root) => root,
            _ => &self.dir,
        };
        let real = |path: &Path| path.canonicalize().ok();
        let own = own.unwrap_or_default().iter().map(|place| {
            let dir = root.join(place);
            let is_inside = real(root)
                .zip(real(&dir))
                .is_none_or(|(root, dir)| dir.starts_with(root));
            let problem = "its directory is not one of the extension";
            (dir, (!is_inside).then_some(problem))
        });
        let of_plugin = self.reading.plugin().into_iter().flat_map(|it| &it.skills);
        own.chain(of_plugin.map(|dir| (dir.clone(), None)))
            .collect()
    }

    /// The plugin, if it may be used.
    pub fn used(&self) -> Option<UsedPlugin> {
        let ExtensionState::Usable(root) = &self.state else {
            return None;
        };
        Some(UsedPlugin {
            plugin: Arc::clone(self.reading.plugin()?),
            place: PluginPlace {
                root: root.clone(),
                data: self.data.clone(),
            },
            is_project: self.is_project,
        })
    }
}
