//! The size of directories for temporary files.

use std::collections::HashSet;
use std::fs::{self, Metadata, ReadDir};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

/// Entries that are looked at in a row: the supervisor has other work, and a directory may hold
/// millions.
const SLICE: usize = 1_000;

/// Bytes in a block of `stat`, whatever the file system's own.
const BLOCK: u64 = 512;

/// Walks directories again and again, a slice at a time, and adds up what they occupy on disk.
///
/// A directory that cannot be read counts as empty. Commands make such directories, as tests of permissions
/// do.
#[derive(Default)]
pub(super) struct ScratchMeter {
    roots: Vec<PathBuf>,
    /// The directories that are being read; empty between two walks.
    open: Vec<ReadDir>,
    next_root: usize,
    bytes: u64,
    /// Files with several names that were counted.
    linked: HashSet<(u64, u64)>,
}

impl ScratchMeter {
    pub(super) fn new(roots: Vec<PathBuf>) -> Self {
        Self {
            roots,
            ..Self::default()
        }
    }

    /// Goes on with the walk. Returns the size when it is complete.
    pub(super) fn walk(&mut self) -> Option<u64> {
        for _ in 0..SLICE {
            let Some(directory) = self.open.last_mut() else {
                let Some(root) = self.roots.get(self.next_root) else {
                    return Some(self.finish());
                };
                self.next_root += 1;
                self.open.extend(fs::read_dir(root));
                continue;
            };
            match directory.next() {
                None => _ = self.open.pop(),
                Some(entry) => {
                    let Ok(entry) = entry else { continue };
                    // Of the link, not its target. Fails if the file is gone.
                    let Ok(metadata) = entry.metadata() else {
                        continue;
                    };
                    self.count(&metadata);
                    if metadata.is_dir() {
                        self.open.extend(fs::read_dir(entry.path()));
                    }
                }
            }
        }
        None
    }

    fn count(&mut self, metadata: &Metadata) {
        let has_other_names = metadata.nlink() > 1 && !metadata.is_dir();
        if !has_other_names || self.linked.insert((metadata.dev(), metadata.ino())) {
            self.bytes = self.bytes.saturating_add(metadata.blocks() * BLOCK);
        }
    }

    fn finish(&mut self) -> u64 {
        self.next_root = 0;
        self.linked.clear();
        std::mem::take(&mut self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(meter: &mut ScratchMeter) -> (u64, usize) {
        let mut slices = 1;
        loop {
            match meter.walk() {
                Some(bytes) => return (bytes, slices),
                None => slices += 1,
            }
        }
    }

    #[test]
    fn sizes_are_added_up_and_second_names_count_once() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::create_dir_all(path("a/b")).unwrap();
        fs::write(path("a/b/file"), vec![1; 1 << 20]).unwrap();
        let mut meter = ScratchMeter::new(vec![path("a"), path("absent")]);
        let (first, _) = walk(&mut meter);
        assert!((1 << 20..2 << 20).contains(&first), "{first}");
        fs::hard_link(path("a/b/file"), path("a/second")).unwrap();
        std::os::unix::fs::symlink(path("a/b"), path("a/link")).unwrap();
        assert_eq!(walk(&mut meter).0, first);
        fs::remove_file(path("a/second")).unwrap();
        fs::remove_file(path("a/b/file")).unwrap();
        assert!(walk(&mut meter).0 < 1 << 20);
    }

    #[test]
    fn many_entries_take_several_slices() {
        let directory = tempfile::tempdir().unwrap();
        for n in 0..2_500 {
            fs::write(directory.path().join(n.to_string()), "").unwrap();
        }
        let mut meter = ScratchMeter::new(vec![directory.path().to_owned()]);
        let (_, slices) = walk(&mut meter);
        assert_eq!(slices, 3);
    }
}
