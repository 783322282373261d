//! The files of an item that a project brings, and the digest over them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use scorel_proto::ErrorChain;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::trusted_file::{self, Trust};

/// Gets the path, the mode and the content of each file; an error ends the walk.
type FileVisitor<'a> = dyn FnMut(&str, u32, &[u8]) -> Result<(), String> + 'a;

/// Bytes of all files of an item.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Files of an item.
const MAX_FILES: usize = 10_000;

/// Directories below each other. A tree that is deeper is no skill.
const MAX_DEPTH: usize = 32;

/// The files of an item by their paths below its directory.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ItemFiles(pub(super) BTreeMap<String, ItemFile>);

/// One file of an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ItemFile {
    /// The permission bits.
    pub(super) mode: u32,
    /// Of the content.
    pub(super) sha256: String,
}

impl ItemFiles {
    /// Reads the files of the item in `dir`.
    ///
    /// # Errors
    /// Why it cannot be trusted: a link, a special file, too much of it, or what the system says.
    pub(crate) fn scan(dir: &Path) -> Result<Self, String> {
        let mut files = Self::default();
        let mut left = MAX_BYTES;
        files.add(dir, "", &mut left, &mut |_, _, _| Ok(()), 0)?;
        Ok(files)
    }

    /// As [`ItemFiles::scan`], which hands each file's path, mode and content to `visit`.
    pub(super) fn scan_with(dir: &Path, visit: &mut FileVisitor<'_>) -> Result<Self, String> {
        let mut files = Self::default();
        let mut left = MAX_BYTES;
        files.add(dir, "", &mut left, visit, 0)?;
        Ok(files)
    }

    /// The digest of an item: of its name, and of the path, mode and content of each file.
    pub(crate) fn digest(&self, item: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(format!("{item}\n"));
        for (path, ItemFile { mode, sha256 }) in &self.0 {
            hash.update(format!("{mode:o} {sha256} {path}\n"));
        }
        format!("{:x}", hash.finalize())
    }

    fn add(
        &mut self,
        dir: &Path,
        prefix: &str,
        left: &mut u64,
        visit: &mut FileVisitor<'_>,
        depth: usize,
    ) -> Result<(), String> {
        if depth > MAX_DEPTH {
            return Err(format!(
                "{prefix} is more than {MAX_DEPTH} directories deep"
            ));
        }
        let failed = |error: std::io::Error| format!("{}: {error}", dir.display());
        for entry in fs::read_dir(dir).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let name = name
                .to_str()
                .filter(|name| !name.chars().any(char::is_control))
                .ok_or_else(|| format!("{name:?} is not a name that can be shown"))?;
            let path = match prefix {
                "" => name.to_owned(),
                prefix => format!("{prefix}/{name}"),
            };
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() {
                self.add(&entry.path(), &path, left, visit, depth + 1)?;
            } else if kind.is_file() {
                let mode = entry.metadata().map_err(failed)?.permissions().mode() & 0o777;
                self.add_file(&entry.path(), path, mode, left, visit)?;
            } else {
                return Err(format!("{path} is a link or a special file"));
            }
        }
        Ok(())
    }

    fn add_file(
        &mut self,
        file: &Path,
        path: String,
        mode: u32,
        left: &mut u64,
        visit: &mut FileVisitor<'_>,
    ) -> Result<(), String> {
        if self.0.len() == MAX_FILES {
            return Err(format!("it has more than {MAX_FILES} files"));
        }
        let read = trusted_file::read(file, *left, Trust::Untrusted);
        let read = read.map_err(|error| ErrorChain(&error).to_string())?;
        let (_, bytes) = read.ok_or_else(|| format!("{path} has just been removed"))?;
        *left -= bytes.len() as u64;
        visit(&path, mode, &bytes)?;
        let sha256 = format!("{:x}", Sha256::digest(&bytes));
        self.0.insert(path, ItemFile { mode, sha256 });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_digest_covers_paths_modes_and_contents() {
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("scripts/run.sh");
        fs::create_dir(dir.path().join("scripts")).unwrap();
        fs::write(&script, "true").unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o644)).unwrap();
        let digest = || ItemFiles::scan(dir.path()).unwrap().digest("skill:x");
        let mut seen = vec![
            digest(),
            ItemFiles::scan(dir.path()).unwrap().digest("skill:y"),
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
        let error = ItemFiles::scan(dir.path()).unwrap_err();
        assert_eq!(error, "a is a link or a special file");
    }
}
