//! Places without links.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use scorel_home::Stamp;

/// Resolves places, looking up each directory once: a table of two hundred places costs one system
/// call for most of them.
#[derive(Debug, Default)]
pub(super) struct Resolver {
    directories: HashMap<PathBuf, Option<PathBuf>>,
    looked_at: LookedAt,
}

/// The facts that decided about the places: the directories that they are in, and the targets of links. As long as
/// all of it stays the same, so do the places.
#[derive(Debug, Default)]
pub(super) struct LookedAt {
    stamps: HashMap<PathBuf, Option<Stamp>>,
    /// Something was there of which a change may go unnoticed.
    is_uncertain: bool,
}

impl Resolver {
    /// The place with links in its directory resolved and, if it is a link itself, what that leads to.
    /// Nothing if its directory does not exist: then nothing is there to be seen.
    pub(super) fn resolve(&mut self, place: &Path) -> Vec<PathBuf> {
        let (Some(directory), Some(name)) = (place.parent(), place.file_name()) else {
            self.looked_at.add(place);
            return place.canonicalize().into_iter().collect();
        };
        let known = self.directories.entry(directory.to_owned());
        let Some(directory) = known.or_insert_with(|| {
            self.looked_at.add(directory);
            directory.canonicalize().ok()
        }) else {
            return Vec::new();
        };
        let real = directory.join(name);
        let is_link = real.symlink_metadata().is_ok_and(|it| it.is_symlink());
        let target = is_link.then(|| real.canonicalize().ok()).flatten();
        if is_link {
            self.looked_at.add(&real);
            // A target that is made later changes nothing that was looked at.
            self.looked_at.is_uncertain |= target.is_none();
        }
        [real].into_iter().chain(target).collect()
    }

    pub(super) fn into_looked_at(self) -> LookedAt {
        self.looked_at
    }
}

impl LookedAt {
    /// Notes the path and, if nothing is there, the directories above it up to one that exists: what is
    /// made there later changes that one.
    fn add(&mut self, path: &Path) {
        for path in path.ancestors() {
            if let Some(known) = self.stamps.get(path) {
                match known {
                    Some(_) => return,
                    None => continue,
                }
            }
            let stamp = Stamp::current(path);
            self.is_uncertain |=
                stamp.is_err() || matches!(&stamp, Ok(Some(it)) if !it.is_settled());
            let stamp = stamp.ok().flatten();
            self.stamps.insert(path.to_owned(), stamp);
            if stamp.is_some() {
                return;
            }
        }
    }

    /// Returns whether all of it is as it was.
    pub(super) fn is_same(&self) -> bool {
        let is_same = |(path, stamp): (&PathBuf, &Option<Stamp>)| {
            Stamp::current(path).is_ok_and(|now| now == *stamp)
        };
        // A missing place appears in the directory above it.
        let mut there = self.stamps.iter().filter(|(_, stamp)| stamp.is_some());
        !self.is_uncertain && there.all(is_same)
    }
}
