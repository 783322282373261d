//! Copies of trusted items, by digest.
//!
//! A project's files may change at any time. A trusted item runs from its copy, so that nothing changes
//! between the check and the use. A copy is read whole when it is first used, then as its stamps say.

use std::collections::HashSet;
use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::item_files::ItemFiles;
use super::known_items::KnownItems;
use super::project_item::ItemSource;

/// The directory `store` of the home.
#[derive(Debug)]
pub(super) struct Store {
    dir: PathBuf,
    known: KnownItems,
}

/// An item, as far as its digest is not about its files.
#[derive(Debug, Clone, Copy)]
pub(super) struct ItemIdentity<'a> {
    pub(super) item: &'a str,
    /// The digest of its configuration.
    pub(super) config: Option<&'a str>,
}

impl Store {
    pub(super) fn new(dir: PathBuf) -> Self {
        Self {
            dir,
            known: KnownItems::default(),
        }
    }

    /// The copy with this digest, whose content is checked.
    ///
    /// # Errors
    /// There is none, or it is not what the digest says.
    pub(super) fn verified(&self, item: ItemIdentity<'_>, digest: &str) -> Result<PathBuf, String> {
        let dir = self.dir.join(digest);
        let files = self.known.files(&ItemSource::Directory(dir.clone()))?;
        if item.digest(&files) != digest {
            return Err(format!(
                "its copy in {} was changed; trust it again",
                dir.display()
            ));
        }
        Ok(dir)
    }

    /// The copies whose digests are not in `used`, and unfinished copies. No item may be copied meanwhile.
    pub(super) fn unused(&self, used: &HashSet<&str>) -> io::Result<Vec<PathBuf>> {
        let entries = match fs::read_dir(&self.dir) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut unused = Vec::new();
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.to_str().unwrap_or_default();
            let is_ours = is_digest(name) || unfinished(name).is_some_and(is_digest);
            if is_ours && entry.file_type()?.is_dir() && !used.contains(name) {
                unused.push(entry.path());
            }
        }
        Ok(unused)
    }

    /// Copies the item in `source`, which must have this digest, durably.
    ///
    /// # Errors
    /// The item has another digest by now, or the copy cannot be written.
    pub(super) fn keep(
        &self,
        item: ItemIdentity<'_>,
        source: &ItemSource,
        digest: &str,
    ) -> Result<(), KeepError> {
        if self.verified(item, digest).is_ok() {
            return Ok(());
        }
        private_dir(&self.dir)?;
        let temporary = self.dir.join(format!(".{digest}.new"));
        remove_if_there(&temporary)?;
        private_dir(&temporary)?;
        let mut failure = None;
        let copied = ItemFiles::scan_with(source, &mut |path, mode, bytes| {
            write(&temporary, path, mode, bytes).map_err(|error| {
                let text = error.to_string();
                failure = Some(error);
                text
            })
        });
        if let Some(error) = failure {
            return Err(error.into());
        }
        let copied = copied.map_err(KeepError::Changed)?;
        if item.digest(&copied) != digest {
            remove_if_there(&temporary)?;
            let text = "its files are not those that were shown".to_owned();
            return Err(KeepError::Changed(text));
        }
        sync_directories(&temporary)?;
        let kept = self.dir.join(digest);
        // One that is there failed its check.
        remove_if_there(&kept)?;
        fs::rename(&temporary, &kept)?;
        File::open(&self.dir)?.sync_all()?;
        Ok(())
    }
}

impl ItemIdentity<'_> {
    pub(super) fn digest(self, files: &ItemFiles) -> String {
        files.digest(self.item, self.config)
    }
}

/// The reason why an item was not copied.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeepError {
    #[error("{0}")]
    Changed(String),
    #[error(transparent)]
    Io(#[from] io::Error),
}

fn is_digest(name: &str) -> bool {
    name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The digest of a copy that is being made.
fn unfinished(name: &str) -> Option<&str> {
    name.strip_prefix('.')?.strip_suffix(".new")
}

fn write(root: &Path, path: &str, mode: u32, bytes: &[u8]) -> io::Result<()> {
    let path = root.join(path);
    if let Some(parent) = path.parent() {
        private_dir(parent)?;
    }
    let mut file = File::create_new(&path)?;
    file.write_all(bytes)?;
    file.set_permissions(Permissions::from_mode(mode))?;
    file.sync_all()
}

fn private_dir(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(path)
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn sync_directories(dir: &Path) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_directories(&entry.path())?;
        }
    }
    File::open(dir)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_copied_is_checked_before_each_use() {
        let dir = tempfile::tempdir().unwrap();
        let (source, store) = (
            dir.path().join("skill"),
            Store::new(dir.path().join("store")),
        );
        fs::create_dir_all(source.join("scripts")).unwrap();
        fs::write(source.join("SKILL.md"), "one").unwrap();
        fs::write(source.join("scripts/run.sh"), "true").unwrap();
        let item = ItemIdentity {
            item: "skill:x",
            config: None,
        };
        let from = ItemSource::Directory(source.clone());
        let digest = item.digest(&ItemFiles::scan(&from).unwrap());
        assert!(store.verified(item, &digest).is_err());
        let other = "0".repeat(64);
        let refused = store.keep(item, &from, &other);
        assert!(matches!(refused, Err(KeepError::Changed(_))), "{refused:?}");
        store.keep(item, &from, &digest).unwrap();
        let kept = store.verified(item, &digest).unwrap();
        fs::write(source.join("SKILL.md"), "two").unwrap();
        assert_eq!(fs::read_to_string(kept.join("SKILL.md")).unwrap(), "one");
        fs::write(kept.join("SKILL.md"), "three").unwrap();
        let error = store.verified(item, &digest).unwrap_err();
        assert!(error.contains("was changed; trust it again"), "{error}");
        fs::write(source.join("SKILL.md"), "one").unwrap();
        store.keep(item, &from, &digest).unwrap();
        store.verified(item, &digest).unwrap();
    }
}
