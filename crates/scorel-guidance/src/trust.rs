//! Trust in the items that a project brings, such as skills.
//!
//! Each item is inert until a user trusts it, by its digest. `trust.json` lists the trusted items, `store`
//! holds the copies that run. In: a project's items as they are now. Out: their states, and for a trusted
//! one the directory of its copy.

mod item_files;
mod known_items;
mod listed_file;
mod store;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_home::{FormatVersion, StateBody, StateError, StateFile, StateKind, TRUST};
use scorel_proto::{
    ClientId, ProjectId, TrustFile, TrustItem, TrustState, TrustedFileChange, TrustedItem,
};
use serde::{Deserialize, Serialize};

use item_files::ItemFiles;
use known_items::KnownItems;
use store::Store;

pub(crate) use store::KeepError;

/// Files of an item in a reply.
const MAX_SHOWN: usize = 200;

/// The trusted items of all projects.
///
/// Users may edit the file, so it is read again for every turn.
#[derive(Debug)]
pub struct TrustStore {
    file: StateFile<TrustDocument>,
    store: Store,
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

type TrustedItems = BTreeMap<String, TrustEntry>;

/// An item that was trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustEntry {
    digest: String,
    files: ItemFiles,
    /// When, in milliseconds since 1970.
    at: u64,
    /// The client that said so.
    by: ClientId,
}

/// The trusted items of one project, as `trust.json` had them.
#[derive(Debug, Clone)]
pub struct ProjectTrust {
    items: TrustedItems,
    known: Arc<KnownItems>,
}

/// An item that a project brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectItem {
    /// Its kind and name.
    pub item: String,
    pub dir: PathBuf,
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
            store: Store::new(store),
            known: Arc::default(),
        }
    }

    /// The trusted items of a project. Reads the file.
    pub fn of(&self, project: ProjectId) -> Result<ProjectTrust, TrustError> {
        let mut document = self.file.read()?.unwrap_or_default();
        Ok(ProjectTrust {
            items: document.projects.remove(&project).unwrap_or_default(),
            known: Arc::clone(&self.known),
        })
    }

    /// The state of items, with those that were trusted and are gone. Reads their files.
    pub fn items(
        &self,
        project: ProjectId,
        present: &[ProjectItem],
    ) -> Result<Vec<TrustItem>, TrustError> {
        let trust = self.of(project)?;
        let mut items: Vec<TrustItem> = present.iter().map(|it| trust.describe(it)).collect();
        let is_gone = |name: &&String| !present.iter().any(|it| it.item == **name);
        for item in trust.items.keys().filter(is_gone) {
            items.push(TrustItem {
                item: item.clone(),
                state: TrustState::Changed,
                path: String::new(),
                digest: None,
                files: Vec::new(),
                more_files: 0,
                problem: Some("the project does not have it any more".to_owned()),
            });
        }
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
                let files = self.keep(item, &found.dir, &digest)?;
                let entry = TrustEntry {
                    digest,
                    files,
                    at,
                    by,
                };
                entries.insert(item.clone(), entry);
            }
            Ok(())
        })
    }

    /// Copies the files of an item, which must have this digest.
    fn keep(&self, item: &str, dir: &Path, digest: &str) -> Result<ItemFiles, TrustError> {
        let changed = || TrustError::Changed(item.to_owned());
        let files = ItemFiles::scan(dir).map_err(|reason| TrustError::Refused {
            item: item.to_owned(),
            reason,
        })?;
        if files.digest(item) != digest {
            return Err(changed());
        }
        let kept = self.store.keep(item, dir, digest);
        kept.map_err(|error| match error {
            KeepError::Changed(_) => changed(),
            KeepError::Io(error) => error.into(),
        })?;
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

    /// The copies that no project trusts any more, as `visit` takes them. It may remove them: no item is
    /// trusted meanwhile. Blocks on the disk.
    pub fn visit_unused(&self, mut visit: impl FnMut(&Path)) -> Result<(), TrustError> {
        self.file.with(|document| {
            let entries = document.projects.values().flat_map(BTreeMap::values);
            let used = entries.map(|entry| entry.digest.as_str()).collect();
            for unused in self.store.unused(&used)? {
                visit(&unused);
            }
            Ok(())
        })
    }

    /// The checked copy of a trusted item.
    pub fn copy(&self, trust: &ProjectTrust, item: &str) -> Result<PathBuf, String> {
        let entry = trust.items.get(item).ok_or("it is not trusted")?;
        self.store.verified(item, &entry.digest)
    }
}

impl ProjectTrust {
    /// Returns whether an item is trusted as it is now. Reads its files only if it was trusted before, and not
    /// again while they stay as they are.
    pub fn state(&self, item: &str, dir: &Path) -> TrustState {
        match self.items.get(item) {
            None => TrustState::Untrusted,
            Some(entry) => match self.known.files(dir) {
                Ok(files) if files.digest(item) == entry.digest => TrustState::Trusted,
                _ => TrustState::Changed,
            },
        }
    }

    fn describe(&self, ProjectItem { item, dir }: &ProjectItem) -> TrustItem {
        let entry = self.items.get(item);
        let scanned = ItemFiles::scan(dir);
        let (digest, problem) = match &scanned {
            Ok(files) => (Some(files.digest(item)), None),
            Err(problem) => (None, Some(problem.clone())),
        };
        let state = match entry {
            None => TrustState::Untrusted,
            Some(entry) if digest.as_ref() == Some(&entry.digest) => TrustState::Trusted,
            Some(_) => TrustState::Changed,
        };
        let files = scanned.unwrap_or_default();
        let mut files = match entry {
            Some(entry) if state == TrustState::Changed => changes(&entry.files, &files),
            _ => unchanged(&files),
        };
        let more_files = files.len().saturating_sub(MAX_SHOWN) as u64;
        files.truncate(MAX_SHOWN);
        TrustItem {
            item: item.clone(),
            state,
            path: dir.display().to_string(),
            digest,
            files,
            more_files,
            problem,
        }
    }
}

fn unchanged(files: &ItemFiles) -> Vec<TrustFile> {
    let file = |path: &String| TrustFile {
        path: path.clone(),
        change: None,
    };
    files.0.keys().map(file).collect()
}

fn changes(before: &ItemFiles, now: &ItemFiles) -> Vec<TrustFile> {
    let mut changes = Vec::new();
    let mut add = |path: &String, change| {
        changes.push(TrustFile {
            path: path.clone(),
            change: Some(change),
        });
    };
    for (path, file) in &now.0 {
        match before.0.get(path) {
            None => add(path, TrustedFileChange::Added),
            Some(known) if known != file => add(path, TrustedFileChange::Modified),
            Some(_) => {}
        }
    }
    let removed = before.0.keys().filter(|path| !now.0.contains_key(*path));
    for path in removed {
        add(path, TrustedFileChange::Removed);
    }
    changes
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn an_item_is_inert_until_it_is_trusted_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let skill = dir.path().join("skill");
        fs::create_dir(&skill).unwrap();
        fs::write(skill.join("SKILL.md"), "one").unwrap();
        let store = TrustStore::new(dir.path().join("trust.json"), dir.path().join("store"));
        let project = ProjectId::generate();
        let present = [ProjectItem {
            item: "skill:x".to_owned(),
            dir: skill.clone(),
        }];
        let state = || store.items(project, &present).unwrap().remove(0);
        let before = state();
        assert_eq!(before.state, TrustState::Untrusted);
        assert_eq!(before.files[0].path, "SKILL.md");
        let mut wanted = [TrustedItem {
            item: "skill:x".to_owned(),
            digest: Some("0".repeat(64)),
        }];
        let trust =
            |wanted: &[TrustedItem]| store.trust((project, ClientId::Daemon), wanted, &present, 1);
        assert!(matches!(trust(&wanted), Err(TrustError::Changed(_))));
        wanted[0].digest = before.digest;
        trust(&wanted).unwrap();
        assert_eq!(state().state, TrustState::Trusted);
        let trusted = store.of(project).unwrap();
        let copy = store.copy(&trusted, "skill:x").unwrap();
        assert_eq!(fs::read_to_string(copy.join("SKILL.md")).unwrap(), "one");

        fs::write(skill.join("SKILL.md"), "two").unwrap();
        fs::write(skill.join("new.sh"), "true").unwrap();
        let changed = state();
        assert_eq!(changed.state, TrustState::Changed);
        let found: Vec<_> = changed
            .files
            .iter()
            .map(|it| (&*it.path, it.change))
            .collect();
        assert_eq!(
            found,
            [
                ("SKILL.md", Some(TrustedFileChange::Modified)),
                ("new.sh", Some(TrustedFileChange::Added))
            ]
        );
        assert_eq!(trusted.state("skill:x", &skill), TrustState::Changed);
        store.distrust(project, &wanted).unwrap();
        assert_eq!(state().state, TrustState::Untrusted);
        let other = store.of(ProjectId::generate()).unwrap();
        assert_eq!(other.state("skill:x", &skill), TrustState::Untrusted);
    }

    #[test]
    fn a_file_that_is_not_understood_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("trust.json");
        let store = TrustStore::new(path.clone(), dir.path().join("store"));
        for text in ["{", r#"{"version":2,"projects":{}}"#] {
            fs::write(&path, text).unwrap();
            assert!(store.of(ProjectId::generate()).is_err());
            assert!(store.distrust(ProjectId::generate(), &[]).is_err());
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }
}
