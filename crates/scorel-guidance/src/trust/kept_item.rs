//! Copies of directories that nothing has to trust: those of the user.

use std::path::{Path, PathBuf};

use super::item_files::ItemFiles;
use super::project_item::ItemSource;
use super::store::{ItemIdentity, KeepError};
use super::{TrustError, TrustStore};

/// Gets the path and the content of each file of a directory; an error ends the walk.
pub type FileReader<'a> = dyn FnMut(&str, &[u8]) -> Result<(), String> + 'a;

/// The copy of a directory in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptItem {
    /// Over the item's name and its files.
    pub digest: String,
    pub dir: PathBuf,
}

impl TrustStore {
    /// The digest that a directory has now, as an item of this name. Reads its files; blocks.
    ///
    /// # Errors
    /// Why they cannot be read: a link, a special file, too much of them, or what the system says.
    pub fn digest_of(&self, item: &str, dir: &Path) -> Result<String, String> {
        let files = self.known.files(&ItemSource::Directory(dir.to_owned()))?;
        Ok(identity(item).digest(&files))
    }

    /// Copies a directory as it is now, durably. One that was copied is not copied again. Blocks.
    ///
    /// # Errors
    /// It cannot be read, it changes meanwhile, or the copy cannot be written.
    pub fn keep_directory(&self, item: &str, dir: &Path) -> Result<KeptItem, TrustError> {
        let refused = |reason| TrustError::Refused {
            item: item.to_owned(),
            reason,
        };
        let source = ItemSource::Directory(dir.to_owned());
        let digest = self.digest_of(item, dir).map_err(refused)?;
        // No copy is taken for unused meanwhile.
        self.file.with(|_| {
            let kept = self.store.keep(identity(item), &source, &digest);
            kept.map_err(|error| match error {
                KeepError::Changed(_) => TrustError::Changed(item.to_owned()),
                KeepError::Io(error) => error.into(),
            })
        })?;
        let dir = self.kept_directory(item, &digest).map_err(refused)?;
        Ok(KeptItem { digest, dir })
    }

    /// The copy with this digest, whose content is checked. Blocks.
    ///
    /// # Errors
    /// There is none, or it is not what the digest says.
    pub fn kept_directory(&self, item: &str, digest: &str) -> Result<PathBuf, String> {
        self.store.verified(identity(item), digest)
    }

    /// Hands the path and the content of each file of a directory to `visit`; an error ends the walk. Blocks.
    ///
    /// # Errors
    /// As [`TrustStore::digest_of`], and those of `visit`.
    pub fn visit_files(dir: &Path, visit: &mut FileReader<'_>) -> Result<(), String> {
        let source = ItemSource::Directory(dir.to_owned());
        ItemFiles::scan_with(&source, &mut |path, _, bytes| visit(path, bytes)).map(drop)
    }
}

const fn identity(item: &str) -> ItemIdentity<'_> {
    ItemIdentity { item, config: None }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_directory_is_kept_as_it_is_and_what_is_kept_is_not_unused() {
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join("flow");
        fs::create_dir(&source).unwrap();
        fs::write(source.join("a.md"), "one").unwrap();
        let store = TrustStore::new(dir.path().join("trust.json"), dir.path().join("store"));
        let kept = store.keep_directory("workflow:flow", &source).unwrap();
        assert_eq!(
            store.keep_directory("workflow:flow", &source).unwrap(),
            kept
        );
        fs::write(source.join("a.md"), "two").unwrap();
        assert_ne!(
            store.digest_of("workflow:flow", &source).unwrap(),
            kept.digest
        );
        let copy = store.kept_directory("workflow:flow", &kept.digest).unwrap();
        assert_eq!(fs::read_to_string(copy.join("a.md")).unwrap(), "one");
        assert!(
            store
                .kept_directory("workflow:other", &kept.digest)
                .is_err()
        );
        let unused = |kept: &[String]| {
            let mut unused = Vec::new();
            store
                .visit_unused(kept, |it| unused.push(it.to_owned()))
                .unwrap();
            unused
        };
        assert_eq!(unused(&[]), [copy]);
        assert!(unused(&[kept.digest]).is_empty());
    }
}
