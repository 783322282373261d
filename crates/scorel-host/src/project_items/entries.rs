use std::path::{Path, PathBuf};

/// Entries of a directory that are looked at.
const MAX_ENTRIES: usize = 1_000;

/// The entries of a directory, by name; none if it is absent or a link.
pub(super) fn entries(dir: &Path) -> Vec<(String, PathBuf)> {
    if !dir.symlink_metadata().is_ok_and(|it| it.is_dir()) {
        return Vec::new();
    }
    let found = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let named = found.map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, entry.path())
    });
    let mut named: Vec<_> = named.take(MAX_ENTRIES).collect();
    named.sort();
    named
}
