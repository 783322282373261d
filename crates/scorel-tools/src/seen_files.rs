//! The parts of files that the model has seen.

mod coverage;

use std::collections::VecDeque;
use std::sync::Mutex;

use scorel_proto::BlobHash;

pub(crate) use coverage::Coverage;

use crate::locked::lock;
use crate::roots::Location;

/// The greatest number of files that are remembered; the least recently seen is evicted.
const MAX_FILES: usize = 512;

/// The parts of files that one session's model has seen, by content hash: touching a file does not make it
/// unread, and other content at the same path is unread.
#[derive(Debug, Default)]
pub(crate) struct SeenFiles {
    files: Mutex<VecDeque<SeenFile>>,
}

#[derive(Debug)]
struct SeenFile {
    location: Location,
    content: BlobHash,
    coverage: Coverage,
}

/// The reason why a file's content counts as unread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unseen {
    Never,
    /// It had other content when it was read or written.
    Changed,
}

impl SeenFiles {
    /// Adds a seen part. Forgets the seen parts of other content at the location.
    pub(crate) fn add(&self, location: &Location, content: BlobHash, coverage: Coverage) {
        let mut files = lock(&self.files);
        let place = files.iter().position(|file| file.location == *location);
        let known = place.and_then(|place| files.remove(place));
        let coverage = match known {
            Some(file) if file.content == content => file.coverage.union(coverage),
            _ => coverage,
        };
        if files.len() == MAX_FILES {
            files.pop_front();
        }
        files.push_back(SeenFile {
            location: location.clone(),
            content,
            coverage,
        });
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        lock(&self.files).clear();
    }

    /// The content that a location had when it was last seen.
    pub(crate) fn last(&self, location: &Location) -> Option<BlobHash> {
        let files = lock(&self.files);
        let known = files.iter().find(|file| file.location == *location);
        known.map(|file| file.content.clone())
    }

    /// The seen parts of the content that is at a location now.
    pub(crate) fn coverage(
        &self,
        location: &Location,
        content: &BlobHash,
    ) -> Result<Coverage, Unseen> {
        let files = lock(&self.files);
        let same = files.iter().filter(|file| file.content == *content);
        let known = same
            .map(|file| file.coverage.clone())
            .reduce(Coverage::union);
        let elsewhere = || files.iter().any(|file| file.location == *location);
        known.ok_or_else(|| {
            if elsewhere() {
                Unseen::Changed
            } else {
                Unseen::Never
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use scorel_files::hash_of;

    use super::*;
    use crate::root::{Root, RootName};
    use crate::roots::Roots;

    fn location(path: &str) -> Location {
        let directory = tempfile::tempdir().unwrap();
        let root = Root::open(RootName::Project, directory.path()).unwrap();
        Roots::new(root).locate(path).unwrap()
    }

    #[test]
    fn content_is_known_wherever_it_is() {
        let (a, b) = (location("a"), location("b"));
        let (one, two) = (hash_of(b"one"), hash_of(b"two"));
        let seen = SeenFiles::default();
        assert_eq!(seen.coverage(&a, &one), Err(Unseen::Never));
        seen.add(&a, one.clone(), Coverage::from(0..1));
        assert!(seen.coverage(&b, &one).unwrap().covers(&(0..1)));
        assert_eq!(seen.coverage(&a, &two), Err(Unseen::Changed));
        assert_eq!(seen.coverage(&b, &two), Err(Unseen::Never));
    }

    #[test]
    fn parts_add_up_until_the_content_changes() {
        let a = location("a");
        let (one, two) = (hash_of(b"one"), hash_of(b"two"));
        let seen = SeenFiles::default();
        seen.add(&a, one.clone(), Coverage::from(0..1));
        seen.add(&a, one.clone(), Coverage::from(1..3));
        assert!(seen.coverage(&a, &one).unwrap().covers(&(0..3)));
        seen.add(&a, two, Coverage::from(0..1));
        assert_eq!(seen.coverage(&a, &one), Err(Unseen::Changed));
    }

    #[test]
    fn the_memory_is_bounded() {
        let seen = SeenFiles::default();
        let file = |n: usize| (location(&n.to_string()), hash_of(&n.to_le_bytes()));
        for n in 0..=MAX_FILES {
            let (location, content) = file(n);
            seen.add(&location, content, Coverage::from(0..8));
        }
        let known = |n| {
            let (location, content) = file(n);
            seen.coverage(&location, &content).is_ok()
        };
        assert_eq!((known(0), known(1), known(MAX_FILES)), (false, true, true));
    }
}
