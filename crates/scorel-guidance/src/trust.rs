//! Trust in the items that a project brings: skills, hooks, servers, extensions, workflows.
//!
//! Each item is inert until a user trusts it, by its digest. `trust.json` lists the trusted items, `store`
//! holds the copies that run. In: a project's items as they are now. Out: their states, and for a trusted
//! one what may be used.

mod canonical;
mod described;
mod inert;
mod item_files;
mod kept_item;
mod known_items;
mod listed_file;
mod named_files;
mod project_item;
mod store;
mod trust_entry;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_home::{FormatVersion, StateBody, StateError, StateFile, StateKind, TRUST};
use scorel_proto::{ClientId, ProjectId, TrustItem, TrustState, TrustedItem};
use serde::{Deserialize, Serialize};

use item_files::ItemFiles;
use known_items::KnownItems;
use store::{ItemIdentity, Store};
use trust_entry::{TrustEntry, TrustedItems};

pub use inert::Inert;
pub use kept_item::{FileReader, KeptItem};
pub(crate) use listed_file::ListedFile;
pub use named_files::NamedFiles;
pub use project_item::{ItemSource, ProjectItem};
pub(crate) use store::KeepError;

/// The trusted items of all projects.
///
/// Users may edit the file, so it is read again for every turn.
#[derive(Debug)]
pub struct TrustStore {
    file: StateFile<TrustDocument>,
    store: Arc<Store>,
    known: Arc<KnownItems>,
}

/// `trust.json`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustDocument {
    version: FormatVersion<1>,
    projects: BTreeMap<ProjectId, TrustedItems>,
}

impl StateBody for TrustDocument {
    const KIND: &'static StateKind = &TRUST;
}

/// The trusted items of one project, as `trust.json` had them.
#[derive(Debug, Clone)]
pub struct ProjectTrust {
    items: TrustedItems,
    store: Arc<Store>,
    known: Arc<KnownItems>,
}

/// The usable part of a trusted item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admitted {
    /// This copy of its directory.
    Copy(PathBuf),
    /// Its command: the files that it names are as they were trusted.
    InPlace,
}

/// The reason why trust cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    #[error(transparent)]
    File(#[from] StateError),
    #[error("the project has no item `{0}`")]
    Unknown(String),
    #[error("`{item}` cannot be trusted: {reason}")]
    Refused { item: String, reason: String },
    #[error("`{0}` has changed since it was shown; look at it again")]
    Changed(String),
    #[error("`digest` of `{0}` is missing")]
    NoDigest(String),
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl TrustStore {
    pub fn new(path: PathBuf, store: PathBuf) -> Self {
        Self {
            file: StateFile::new(path),
            store: Arc::new(Store::new(store)),
            known: Arc::default(),
        }
    }

    /// The trusted items of a project. Reads the file.
    pub fn of(&self, project: ProjectId) -> Result<ProjectTrust, TrustError> {
        let mut document = self.file.read()?.unwrap_or_default();
        Ok(ProjectTrust {
            items: document.projects.remove(&project).unwrap_or_default(),
            store: Arc::clone(&self.store),
            known: Arc::clone(&self.known),
        })
    }

    /// The state of items, with those that were trusted and are gone. Reads their files.
    pub fn items(
        &self,
        project: ProjectId,
        present: &[ProjectItem],
    ) -> Result<Vec<TrustItem>, TrustError> {
        let trusted = self.of(project)?.items;
        let described = present.iter().map(|it| described::item(&trusted, it));
        let mut items: Vec<TrustItem> = described.collect();
        let is_gone = |name: &str| !present.iter().any(|it| it.item == name);
        let gone = trusted.iter().filter(|(name, _)| is_gone(name));
        items.extend(gone.map(|(name, entry)| described::gone(name, entry)));
        items.sort_by(|one, other| one.item.cmp(&other.item));
        Ok(items)
    }

    /// Trusts items as the caller has seen them. Copies them first, durably; on every error `trust.json`
    /// is unchanged. Blocks on the disk.
    pub fn trust(
        &self,
        (project, by): (ProjectId, ClientId),
        wanted: &[TrustedItem],
        present: &[ProjectItem],
        at: u64,
    ) -> Result<(), TrustError> {
        self.file.modify(|document| {
            let entries = document.projects.entry(project).or_default();
            for TrustedItem { item, digest } in wanted {
                let found = present.iter().find(|it| it.item == *item);
                let found = found.ok_or_else(|| TrustError::Unknown(item.clone()))?;
                let digest = digest
                    .clone()
                    .ok_or_else(|| TrustError::NoDigest(item.clone()))?;
                let config = found.config.as_ref().map(canonical::digest);
                let files = self.keep(found, config.as_deref(), &digest)?;
                let entry = TrustEntry {
                    digest,
                    config,
                    files,
                    at,
                    by,
                };
                entries.insert(item.clone(), entry);
            }
            Ok(())
        })
    }

    /// The files of an item, which must have this digest. Copies those that are used from a copy.
    fn keep(
        &self,
        it: &ProjectItem,
        config: Option<&str>,
        digest: &str,
    ) -> Result<ItemFiles, TrustError> {
        let item = &it.item;
        let refused = |reason| TrustError::Refused {
            item: item.clone(),
            reason,
        };
        let changed = || TrustError::Changed(item.clone());
        if let Some(obstacle) = it.obstacle() {
            return Err(refused(obstacle));
        }
        if it.is_shadowed {
            let reason = "you have one of this name, which the project's does not replace";
            return Err(refused(reason.to_owned()));
        }
        let files = ItemFiles::scan(&it.source).map_err(refused)?;
        let identity = ItemIdentity { item, config };
        if identity.digest(&files) != digest {
            return Err(changed());
        }
        if let ItemSource::Directory(_) = it.source {
            let kept = self.store.keep(identity, &it.source, digest);
            kept.map_err(|error| match error {
                KeepError::Changed(_) => changed(),
                KeepError::Io(error) => error.into(),
            })?;
        }
        Ok(files)
    }

    /// Takes trust back. The copies stay, since other projects may use them.
    pub fn distrust(&self, project: ProjectId, items: &[TrustedItem]) -> Result<(), TrustError> {
        self.file.modify(|document| {
            if let Some(entries) = document.projects.get_mut(&project) {
                for TrustedItem { item, .. } in items {
                    entries.remove(item);
                }
                if entries.is_empty() {
                    document.projects.remove(&project);
                }
            }
            Ok(())
        })
    }

    /// The copies that no project trusts any more and that are not among `kept`, as `visit` takes them. It may remove
    /// them: no item is trusted meanwhile. Blocks on the disk.
    pub fn visit_unused(
        &self,
        kept: &[String],
        mut visit: impl FnMut(&Path),
    ) -> Result<(), TrustError> {
        self.file.with(|document| {
            let entries = document.projects.values().flat_map(BTreeMap::values);
            let trusted = entries.map(|entry| entry.digest.as_str());
            let used = trusted.chain(kept.iter().map(String::as_str)).collect();
            for unused in self.store.unused(&used)? {
                visit(&unused);
            }
            Ok(())
        })
    }
}

impl ProjectTrust {
    /// Returns whether an item is trusted as it is now. Reads its files only if it was trusted before, and not
    /// again while they stay as they are.
    pub fn state(&self, it: &ProjectItem) -> TrustState {
        let config = it.config.as_ref().map(canonical::digest);
        let identity = ItemIdentity {
            item: &it.item,
            config: config.as_deref(),
        };
        match self.items.get(&it.item) {
            _ if it.is_shadowed => TrustState::Shadowed,
            None => TrustState::Untrusted,
            Some(entry) => match self.known.files(&it.source) {
                Ok(files) if identity.digest(&files) == entry.digest => TrustState::Trusted,
                _ => TrustState::Changed,
            },
        }
    }

    /// The usable part of an item now. Ask before each use: looks at the stamps of files, and reads those that are
    /// new to it. Blocks.
    ///
    /// # Errors
    /// The reason why the item is inert.
    pub fn admit(&self, it: &ProjectItem) -> Result<Admitted, Inert> {
        let item = &it.item;
        let broken = |reason| Inert::Broken {
            item: item.clone(),
            reason,
        };
        if let Some(inert) = Inert::of(self.state(it), item) {
            return Err(inert);
        }
        if let Some(obstacle) = it.obstacle() {
            return Err(broken(obstacle));
        }
        let (ItemSource::Directory(_), Some(entry)) = (&it.source, self.items.get(item)) else {
            return Ok(Admitted::InPlace);
        };
        let identity = ItemIdentity {
            item,
            config: entry.config.as_deref(),
        };
        let copy = self.store.verified(identity, &entry.digest);
        copy.map(Admitted::Copy).map_err(broken)
    }
}

#[cfg(test)]
mod tests;
