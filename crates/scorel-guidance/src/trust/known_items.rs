use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::item_files::{FileVisitor, ItemFiles};
use super::listed_file::ListedFile;
use super::project_item::ItemSource;

/// Items that are remembered. Beyond that all are forgotten, and read once more.
const MAX_ITEMS: usize = 1_000;

/// A cache of items. One whose files have the same stamps is not read again, because every turn checks
/// all trusted items of its project.
#[derive(Debug, Default)]
pub(super) struct KnownItems(Mutex<HashMap<ItemSource, KnownItem>>);

#[derive(Debug)]
struct KnownItem {
    listed: Vec<ListedFile>,
    files: ItemFiles,
}

impl KnownItems {
    /// The files of an item as they are now.
    ///
    /// # Errors
    /// As [`ItemFiles::scan`].
    pub(super) fn files(&self, source: &ItemSource) -> Result<ItemFiles, String> {
        self.files_at(source, SystemTime::now(), &mut |_, _, _| Ok(()))
    }

    fn files_at(
        &self,
        source: &ItemSource,
        now: SystemTime,
        visit: &mut FileVisitor<'_>,
    ) -> Result<ItemFiles, String> {
        let listed = source.list()?;
        if let Some(known) = self.lock().get(source)
            && known.listed == listed
        {
            return Ok(known.files.clone());
        }
        let (files, same) = ItemFiles::read(&listed, visit)?;
        let mut items = self.lock();
        items.remove(source);
        // A file that has just changed may change again and keep its stamp.
        if same && listed.iter().all(|it| it.stamp.is_settled_at(now)) {
            if items.len() == MAX_ITEMS {
                items.clear();
            }
            let files = files.clone();
            items.insert(source.clone(), KnownItem { listed, files });
        }
        Ok(files)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ItemSource, KnownItem>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::Duration;

    use tempfile::TempDir;

    use super::*;

    /// Looks at the item some time after its last change. Returns the paths that were read.
    fn read(known: &KnownItems, dir: &TempDir, after: Duration) -> Vec<String> {
        read_at(known, dir, SystemTime::now() + after)
    }

    fn read_at(known: &KnownItems, dir: &TempDir, now: SystemTime) -> Vec<String> {
        let mut paths = Vec::new();
        let source = ItemSource::Directory(dir.path().to_owned());
        let files = known.files_at(&source, now, &mut |path, _, _| {
            paths.push(path.to_owned());
            Ok(())
        });
        assert_eq!(files, ItemFiles::scan(&source));
        paths
    }

    #[test]
    fn an_item_is_read_again_only_after_one_of_its_files_has_changed() {
        let (known, dir) = (KnownItems::default(), tempfile::tempdir().unwrap());
        let (text, script) = (dir.path().join("SKILL.md"), dir.path().join("bin/run.sh"));
        fs::create_dir(dir.path().join("bin")).unwrap();
        fs::write(&text, "one").unwrap();
        fs::write(&script, "true").unwrap();
        let later = Duration::from_secs(60);
        let all = ["SKILL.md", "bin/run.sh"];
        assert_eq!(read(&known, &dir, later), all);
        assert_eq!(read(&known, &dir, later), [""; 0]);
        fs::write(&text, "longer").unwrap();
        assert_eq!(read(&known, &dir, later), all, "another size");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(read(&known, &dir, later), all, "another mode");
        fs::rename(&script, dir.path().join("bin/go.sh")).unwrap();
        assert_eq!(read(&known, &dir, later), ["SKILL.md", "bin/go.sh"]);
        assert_eq!(read(&known, &dir, later), [""; 0]);
        fs::remove_file(dir.path().join("bin/go.sh")).unwrap();
        assert_eq!(read(&known, &dir, later), ["SKILL.md"]);
    }

    #[test]
    fn a_file_that_has_just_changed_is_read_each_time() {
        let (known, dir) = (KnownItems::default(), tempfile::tempdir().unwrap());
        let text = dir.path().join("SKILL.md");
        fs::write(&text, "one").unwrap();
        // Not the present: a busy machine may take longer than the file to settle.
        let now = fs::metadata(&text).unwrap().modified().unwrap();
        for _ in 0..2 {
            assert_eq!(read_at(&known, &dir, now), ["SKILL.md"]);
        }
    }
}
