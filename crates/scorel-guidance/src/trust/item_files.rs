//! The files of an item that a project brings, and the digest over them.

use std::collections::BTreeMap;

use scorel_home::trusted_file::{self, Trust};
use scorel_proto::ErrorChain;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::listed_file::ListedFile;
use super::project_item::ItemSource;

/// Gets the path, the mode and the content of each file; an error ends the walk.
pub(super) type FileVisitor<'a> = dyn FnMut(&str, u32, &[u8]) -> Result<(), String> + 'a;

/// Bytes of all files of an item.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// The files of an item by their paths below its directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ItemFiles(pub(super) BTreeMap<String, ItemFile>);

/// One file of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ItemFile {
    /// The permission bits.
    pub mode: u32,
    /// Of the content.
    pub sha256: String,
}

impl ItemFiles {
    /// Reads the files of an item.
    ///
    /// # Errors
    /// Why it cannot be trusted: a link, a special file, too much of it, or what the system says.
    pub(super) fn scan(source: &ItemSource) -> Result<Self, String> {
        Self::scan_with(source, &mut |_, _, _| Ok(()))
    }

    /// As [`ItemFiles::scan`], which hands each file's path, mode and content to `visit`.
    pub(super) fn scan_with(
        source: &ItemSource,
        visit: &mut FileVisitor<'_>,
    ) -> Result<Self, String> {
        Self::read(&source.list()?, visit).map(|(files, _)| files)
    }

    /// Reads files that were listed. Also whether each was the file that had been listed.
    pub(super) fn read(
        listed: &[ListedFile],
        visit: &mut FileVisitor<'_>,
    ) -> Result<(Self, bool), String> {
        let mut files = Self::default();
        let mut left = MAX_BYTES;
        let mut same = true;
        for ListedFile {
            file,
            path,
            mode,
            stamp,
        } in listed
        {
            let read = trusted_file::read(file, left, Trust::Untrusted);
            let read = read.map_err(|error| ErrorChain(&error).to_string())?;
            let (found, bytes) = read.ok_or_else(|| format!("{path} has just been removed"))?;
            same &= found == *stamp;
            left -= bytes.len() as u64;
            visit(path, *mode, &bytes)?;
            let sha256 = format!("{:x}", Sha256::digest(&bytes));
            files.0.insert(
                path.clone(),
                ItemFile {
                    mode: *mode,
                    sha256,
                },
            );
        }
        Ok((files, same))
    }

    /// The digest of an item: of its name, the digest of its configuration, and of the path, mode and content of
    /// each file.
    pub(super) fn digest(&self, item: &str, config: Option<&str>) -> String {
        let mut hash = Sha256::new();
        hash.update(format!("{item}\n"));
        // The line of a file begins with a number.
        if let Some(config) = config {
            hash.update(format!("config {config}\n"));
        }
        for (path, ItemFile { mode, sha256 }) in &self.0 {
            hash.update(format!("{mode:o} {sha256} {path}\n"));
        }
        format!("{:x}", hash.finalize())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn the_digest_covers_paths_modes_and_contents() {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("scripts/run.sh");
        fs::create_dir(dir.path().join("scripts")).unwrap();
        fs::write(&script, "true").unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o644)).unwrap();
        let source = ItemSource::Directory(dir.path().to_owned());
        let files = || ItemFiles::scan(&source).unwrap();
        let digest = || files().digest("skill:x", None);
        let mut seen = vec![
            digest(),
            files().digest("skill:y", None),
            files().digest("skill:x", Some("a")),
            files().digest("skill:x", Some("b")),
        ];
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        seen.push(digest());
        fs::write(&script, "false").unwrap();
        seen.push(digest());
        fs::rename(&script, dir.path().join("scripts/go.sh")).unwrap();
        seen.push(digest());
        assert_eq!(digest(), digest());
        let all = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), all);
    }

    #[test]
    fn links_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        symlink("/etc/passwd", dir.path().join("a")).unwrap();
        let source = ItemSource::Directory(dir.path().to_owned());
        let error = ItemFiles::scan(&source).unwrap_err();
        assert_eq!(error, "a is a link or a special file");
    }
}
