use std::fs::{self, Metadata};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use scorel_home::trusted_file::Stamp;

/// Files of an item.
const MAX_FILES: usize = 10_000;

/// Directories below each other. A tree that is deeper is no skill.
const MAX_DEPTH: usize = 32;

/// A file of an item, as its directory lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedFile {
    pub file: PathBuf,
    /// Below the item's directory.
    pub path: String,
    /// The permission bits.
    pub mode: u32,
    pub(crate) stamp: Stamp,
}

impl ListedFile {
    /// The files of the item in `dir`, ordered by path. Reads none of them.
    ///
    /// # Errors
    /// Why the item cannot be trusted: a link, a special file, too many files, or what the system says.
    pub(crate) fn below(dir: &Path) -> Result<Vec<Self>, String> {
        let mut files = Vec::new();
        add(&mut files, dir, "", 0)?;
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(files)
    }

    /// The file that is shown as `path`.
    ///
    /// # Errors
    /// It is a link or a special file, or its name cannot be shown.
    pub(crate) fn of(file: PathBuf, path: String, metadata: &Metadata) -> Result<Self, String> {
        if path.chars().any(char::is_control) {
            return Err(format!("{path:?} is not a name that can be shown"));
        }
        if !metadata.is_file() {
            return Err(format!("{path} is a link or a special file"));
        }
        Ok(Self {
            file,
            path,
            mode: metadata.permissions().mode() & 0o777,
            stamp: Stamp::of(metadata),
        })
    }
}

fn add(files: &mut Vec<ListedFile>, dir: &Path, prefix: &str, depth: usize) -> Result<(), String> {
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
            .ok_or_else(|| format!("{name:?} is not a name that can be shown"))?;
        let path = match prefix {
            "" => name.to_owned(),
            prefix => format!("{prefix}/{name}"),
        };
        let metadata = entry.metadata().map_err(failed)?;
        if metadata.is_dir() {
            add(files, &entry.path(), &path, depth + 1)?;
        } else if files.len() == MAX_FILES {
            return Err(format!("it has more than {MAX_FILES} files"));
        } else {
            files.push(ListedFile::of(entry.path(), path, &metadata)?);
        }
    }
    Ok(())
}
