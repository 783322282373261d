use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::io;
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};
use scorel_proto::{DirectoryEntry, ListDirectoriesResult};

/// Directories per listing; the reply sets `truncated` beyond that.
const MAX_ENTRIES: usize = 10_000;

/// The reason why a directory is not listed.
#[derive(Debug, thiserror::Error)]
pub enum DirectoriesError {
    #[error("no path was given, and the home directory is unknown")]
    NoHome,
    #[error("`{path}` is not an absolute path")]
    NotAbsolute { path: String },
    #[error("`{path}` resolves to a path that is not UTF-8")]
    NotText { path: String },
    #[error("cannot list `{path}`")]
    Io {
        path: String,
        #[source]
        source: io::Error,
    },
}

/// Lists the subdirectories of `path`, or else of the user's home, for choosing a project. A link to a
/// directory is listed with its target. Directories that this user cannot enter and names that are
/// not UTF-8 are left out. Blocks.
///
/// # Errors
/// There is no such path, or its directory cannot be read.
pub fn list_directories(
    path: Option<&str>,
    user_home: Option<PathBuf>,
) -> Result<ListDirectoriesResult, DirectoriesError> {
    let path = match path {
        Some(path) => PathBuf::from(path),
        None => user_home.ok_or(DirectoriesError::NoHome)?,
    };
    let shown = || path.display().to_string();
    if !path.is_absolute() {
        return Err(DirectoriesError::NotAbsolute { path: shown() });
    }
    let failed = |source| DirectoriesError::Io {
        path: shown(),
        source,
    };
    let directory = fs::canonicalize(&path).map_err(failed)?;
    let text = directory
        .to_str()
        .ok_or_else(|| DirectoriesError::NotText { path: shown() })?;
    let entries = fs::read_dir(&directory).map_err(failed)?;
    let (entries, truncated) = first_by_name(entries.filter_map(Result::ok), MAX_ENTRIES);
    Ok(ListDirectoriesResult {
        path: text.to_owned(),
        parent_path: directory.parent().and_then(Path::to_str).map(str::to_owned),
        entries,
        truncated,
    })
}

/// The first `max` entries by name, in memory for `max + 1`, and whether there are more.
fn first_by_name(
    entries: impl Iterator<Item = DirEntry>,
    max: usize,
) -> (Vec<DirectoryEntry>, bool) {
    let mut first = BTreeMap::new();
    let mut truncated = false;
    for entry in entries.filter_map(|entry| directory_entry(&entry)) {
        first.insert(entry.name.clone(), entry);
        if first.len() > max {
            first.pop_last();
            truncated = true;
        }
    }
    (first.into_values().collect(), truncated)
}

fn directory_entry(entry: &DirEntry) -> Option<DirectoryEntry> {
    let kind = entry.file_type().ok()?;
    let path = match kind {
        kind if kind.is_dir() => entry.path(),
        kind if kind.is_symlink() => fs::canonicalize(entry.path())
            .ok()
            .filter(|to| to.is_dir())?,
        _ => return None,
    };
    access(&path, AccessFlags::R_OK | AccessFlags::X_OK).ok()?;
    Some(DirectoryEntry {
        name: entry.file_name().into_string().ok()?,
        path: path.into_os_string().into_string().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    use super::*;

    fn names(result: &ListDirectoriesResult) -> Vec<&str> {
        result
            .entries
            .iter()
            .map(|entry| entry.name.as_str())
            .collect()
    }

    #[test]
    fn directories_are_listed_by_name_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in ["b", "a", ".hidden", "ü"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        fs::create_dir(root.join(OsStr::from_bytes(b"\xff"))).unwrap();
        fs::write(root.join("file"), "").unwrap();
        symlink(root.join("a"), root.join("link")).unwrap();
        symlink(root.join("gone"), root.join("broken")).unwrap();
        let listed = list_directories(root.to_str(), None).unwrap();
        assert_eq!(names(&listed), [".hidden", "a", "b", "link", "ü"]);
        assert_eq!(listed.entries[3].path, root.join("a").to_str().unwrap());
        assert_eq!(
            listed.parent_path.as_deref(),
            root.parent().unwrap().to_str()
        );
        assert!(!listed.truncated);
    }

    #[test]
    fn the_root_has_no_parent_and_a_relative_path_no_meaning() {
        assert_eq!(list_directories(Some("/"), None).unwrap().parent_path, None);
        for path in ["", ".", "~"] {
            let refused = list_directories(Some(path), None);
            assert!(matches!(refused, Err(DirectoriesError::NotAbsolute { .. })));
        }
        let missing = list_directories(Some("/no/such/directory"), None);
        assert!(matches!(missing, Err(DirectoriesError::Io { .. })));
    }

    #[test]
    fn of_too_many_directories_the_first_by_name_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        for n in 0..20 {
            fs::create_dir(dir.path().join(format!("{n:02}"))).unwrap();
        }
        let entries = || fs::read_dir(dir.path()).unwrap().filter_map(Result::ok);
        let (kept, truncated) = first_by_name(entries(), 3);
        assert_eq!(
            kept.iter().map(|entry| &entry.name).collect::<Vec<_>>(),
            ["00", "01", "02"]
        );
        assert!(truncated);
        assert!(!first_by_name(entries(), 20).1);
    }
}
