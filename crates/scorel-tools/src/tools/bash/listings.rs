//! The entries of a project's directories that protection is about, kept from one command to the next:
//! most directories have not changed between two commands.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use scorel_exec::{DirectoryStamp, has_change_times};
use scorel_permission::protected::{GIT_DIRECTORY, may_be_protected};

/// Directories that the supervisor is told of, with about 100 bytes each.
const MAX_DIRECTORIES: usize = 10_000;

/// The listings of the directories below one root.
#[derive(Debug, Default)]
pub(super) struct Listings {
    root: PathBuf,
    /// The file system of the root, if its times tell of every change.
    device: Option<u64>,
    before: HashMap<PathBuf, Listing>,
    now: HashMap<PathBuf, Listing>,
}

/// A directory's entries.
#[derive(Debug, Default, Clone)]
pub(super) struct Listing {
    /// `None` if it has just changed, or cannot be told to have.
    stamp: Option<DirectoryStamp>,
    /// The number of all entries; if they are more than were asked for, one more than that.
    pub(super) count: usize,
    /// The directories, and what a protected place or a repository may be; with whether it is a directory.
    pub(super) entries: Vec<(OsString, bool)>,
}

impl Listings {
    /// Begins a walk.
    pub(super) fn begin(&mut self, root: &Path) {
        if self.root != root {
            self.before.clear();
        }
        root.clone_into(&mut self.root);
        let opened = File::open(root).ok().filter(|it| has_change_times(it));
        let device = opened.and_then(|it| it.metadata().ok()).map(|it| it.dev());
        self.device = device;
    }

    /// Ends it, and returns the directories that were walked, if they can become part of an order.
    pub(super) fn end(&mut self) -> Vec<(PathBuf, Option<DirectoryStamp>)> {
        self.before = std::mem::take(&mut self.now);
        let fits = self.before.len() <= MAX_DIRECTORIES;
        if !fits || self.before.keys().any(|path| path.to_str().is_none()) {
            return Vec::new();
        }
        let walked = self.before.iter();
        walked
            .map(|(path, listing)| (path.clone(), listing.stamp))
            .collect()
    }

    /// The entries of a directory, of which up to `limit` are read; none if it cannot be listed.
    pub(super) fn of(&mut self, dir: &Path, limit: usize) -> Listing {
        let listing = self.found(dir, limit).unwrap_or_default();
        self.now.insert(dir.to_owned(), listing.clone());
        listing
    }

    fn found(&mut self, dir: &Path, limit: usize) -> Option<Listing> {
        let place = self.root.join(dir);
        let metadata = fs::symlink_metadata(&place).ok()?;
        // Before it is read: what changes meanwhile is newer.
        let stamp = DirectoryStamp::settled(&metadata);
        let stamp = stamp.filter(|stamp| Some(stamp.device()) == self.device);
        let known = self.before.remove(dir);
        let listing = known.filter(|it| stamp.is_some() && it.stamp == stamp && it.count <= limit);
        listing.or_else(|| Listing::read(&place, stamp, limit))
    }
}

impl Listing {
    fn read(place: &Path, stamp: Option<DirectoryStamp>, limit: usize) -> Option<Self> {
        let parent = place.file_name().unwrap_or_default();
        let (mut count, mut entries) = (0, Vec::new());
        for entry in fs::read_dir(place).ok()?.flatten().take(limit + 1) {
            count += 1;
            let name = entry.file_name();
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let is_of_repository = name == GIT_DIRECTORY || name == "HEAD";
            if is_directory || is_of_repository || may_be_protected(parent, &name) {
                entries.push((name, is_directory));
            }
        }
        Some(Self {
            stamp,
            count,
            entries,
        })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|(it, _)| it == name)
    }
}

#[cfg(test)]
mod tests {
    use std::thread::yield_now;

    use super::*;

    /// The names in a directory, if it was listed anew.
    fn walk(listings: &mut Listings, root: &Path, limit: usize) -> (Vec<String>, usize) {
        listings.begin(root);
        let listing = listings.of(Path::new(""), limit);
        let names = listing.entries.iter();
        let names = names
            .map(|(name, _)| name.to_string_lossy().into_owned())
            .collect();
        let walked = listings.end();
        (
            names,
            walked.iter().filter(|(_, stamp)| stamp.is_some()).count(),
        )
    }

    /// Waits until a later change would have another time.
    fn settle(directory: &Path) {
        while DirectoryStamp::settled(&fs::metadata(directory).unwrap()).is_none() {
            yield_now();
        }
    }

    #[test]
    fn a_directory_that_has_changed_is_listed_again() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        fs::create_dir(path("a")).unwrap();
        fs::write(path("file"), "").unwrap();
        let mut listings = Listings::default();
        assert_eq!(
            walk(&mut listings, root.path(), 9),
            (vec!["a".to_owned()], 0),
            "just made"
        );
        settle(root.path());
        assert_eq!(walk(&mut listings, root.path(), 9).1, 1);
        // Its entries are not looked at again.
        let before = listings.before.get_mut(Path::new("")).unwrap();
        before.entries.push(("kept".into(), true));
        assert_eq!(walk(&mut listings, root.path(), 9).0, ["a", "kept"]);
        fs::write(path(".envrc"), "").unwrap();
        let mut found = walk(&mut listings, root.path(), 9).0;
        found.sort();
        assert_eq!(found, [".envrc", "a"]);
        settle(root.path());
        walk(&mut listings, root.path(), 2);
        assert_eq!(
            listings.before[Path::new("")].count,
            3,
            "one more than the limit"
        );
        walk(&mut listings, root.path(), 9);
        assert_eq!(listings.before[Path::new("")].count, 3);
    }
}
