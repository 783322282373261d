//! Trust in the items that a project brings: skills, hooks, servers, extensions, workflows.
//!
//! Each item is inert until a user trusts it, by its digest. `trust.json` lists the trusted items, `store`
//! holds the copies that run. In: a project's items as they are now. Out: their states, and for a trusted
//! one what may be used.

mod canonical;
mod described;
mod inert;
mod item_files;
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

/// What may be used of a trusted item.
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

    /// What may be used of an item now. Ask before each use: looks at the stamps of files, and reads those that are
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
mod tests {
    use std::fs;

    use scorel_proto::TrustedFileChange;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_item_is_inert_until_it_is_trusted_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let skill = dir.path().join("skill");
        fs::create_dir(&skill).unwrap();
        fs::write(skill.join("SKILL.md"), "one").unwrap();
        let store = TrustStore::new(dir.path().join("trust.json"), dir.path().join("store"));
        let project = ProjectId::generate();
        let item = ProjectItem::directory("skill:x".to_owned(), skill.clone());
        let present = [item.clone()];
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
        let Ok(Admitted::Copy(copy)) = trusted.admit(&item) else {
            panic!("no copy");
        };
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
        assert_eq!(
            trusted.admit(&item),
            Err(Inert::Changed("skill:x".to_owned()))
        );
        store.distrust(project, &wanted).unwrap();
        assert_eq!(state().state, TrustState::Untrusted);
        let other = store.of(ProjectId::generate()).unwrap();
        assert_eq!(other.state(&item), TrustState::Untrusted);
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

    /// Trusts the item as it is now.
    fn trust(store: &TrustStore, project: ProjectId, item: &ProjectItem) -> Result<(), TrustError> {
        let present = std::slice::from_ref(item);
        let digest = store.items(project, present)?.remove(0).digest;
        let item = item.item.clone();
        store.trust(
            (project, ClientId::Daemon),
            &[TrustedItem { item, digest }],
            present,
            1,
        )
    }

    #[test]
    fn a_hook_is_trusted_with_its_configuration_and_the_files_of_its_command() {
        let dir = tempfile::tempdir().unwrap();
        let project = dir.path().canonicalize().unwrap().join("project");
        fs::create_dir(&project).unwrap();
        let (script, file) = (
            project.join("guard.sh"),
            project.join(".scorel/config.toml"),
        );
        fs::write(&script, "exit 0").unwrap();
        let store = TrustStore::new(dir.path().join("trust.json"), dir.path().join("store"));
        let id = ProjectId::generate();
        let hook = |command: &str| {
            let named = NamedFiles::of_line(&project, file.clone(), command);
            let config = json!({"event": "PreToolUse", "command": command});
            ProjectItem::command("hook:guard".to_owned(), config, named)
        };
        let guard = hook("./guard.sh || ./later.sh");
        trust(&store, id, &guard).unwrap();
        let admit = |item: &ProjectItem| store.of(id).unwrap().admit(item);
        let changed = Err(Inert::Changed("hook:guard".to_owned()));
        assert_eq!(admit(&guard), Ok(Admitted::InPlace));
        assert_eq!(admit(&hook("./guard.sh")), changed, "another command");
        let shown = store.items(id, &[hook("./guard.sh")]).unwrap().remove(0);
        assert!(shown.config_changed);

        fs::write(project.join("later.sh"), "").unwrap();
        assert_eq!(admit(&guard), changed, "a word is a file now");
        let shown = store
            .items(id, std::slice::from_ref(&guard))
            .unwrap()
            .remove(0);
        assert_eq!(shown.files[0].change, Some(TrustedFileChange::Added));
        assert!(!shown.config_changed);
        fs::remove_file(project.join("later.sh")).unwrap();
        assert_eq!(admit(&guard), Ok(Admitted::InPlace));
        fs::write(&script, "exit 1").unwrap();
        assert_eq!(admit(&guard), changed, "another script");

        let shadowed = ProjectItem {
            is_shadowed: true,
            ..guard
        };
        assert_eq!(
            admit(&shadowed),
            Err(Inert::Shadowed("hook:guard".to_owned()))
        );
        let refused = trust(&store, id, &shadowed);
        assert!(
            refused.is_err(),
            "it would be in force once the user's is gone"
        );
    }

    #[test]
    fn what_an_older_version_trusted_stays_trusted() {
        let dir = tempfile::tempdir().unwrap();
        let skill = dir.path().join("skill");
        fs::create_dir(&skill).unwrap();
        fs::write(skill.join("SKILL.md"), "one").unwrap();
        fs::set_permissions(
            skill.join("SKILL.md"),
            std::os::unix::fs::PermissionsExt::from_mode(0o644),
        )
        .unwrap();
        // The digest as version 0.1 made it.
        let digest = "e93c1d1b0514a48fdd9004869864438cb708856b569ba20ae5813c53ca10ab14";
        let project = ProjectId::generate();
        let sha256 = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";
        let entry = json!({"digest": digest, "at": 1, "by": ClientId::Daemon,
            "files": {"SKILL.md": {"mode": 0o644, "sha256": sha256}}});
        let document = json!({"version": 1, "projects": {project.to_string(): {"skill:x": entry}}});
        let path = dir.path().join("trust.json");
        fs::write(&path, document.to_string()).unwrap();
        let store = TrustStore::new(path, dir.path().join("store"));
        let item = ProjectItem::directory("skill:x".to_owned(), skill);
        let state = store.of(project).unwrap().state(&item);
        assert_eq!(state, TrustState::Trusted);
    }
}
