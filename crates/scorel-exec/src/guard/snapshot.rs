//! Guarded places as they were before a command.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};

use super::entry::{Budget, Entry, open_directory};
use super::restore::Restorer;
use super::{Guard, GuardRule, GuardedPlace};
use crate::sandbox::Sandbox;

/// Guarded places as they were before a command.
#[derive(Debug)]
pub(crate) struct Snapshot {
    root: OwnedFd,
    places: Vec<Place>,
    has_gaps: bool,
}

#[derive(Debug)]
struct Place {
    place: GuardedPlace,
    entry: Entry,
    /// Whether it is mounted read-only, where that is possible.
    is_mounted: bool,
}

/// What had to be put back.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// The places, below the guard's directory.
    pub(crate) restored: Vec<String>,
    /// Whether there are places that are as the command left them, and nobody knows how.
    pub(crate) has_gaps: bool,
}

impl Snapshot {
    /// Looks at what a sandbox guards; nothing if it guards nothing.
    pub(crate) fn of(sandbox: Option<&Sandbox>) -> io::Result<Option<Self>> {
        let Some((sandbox, guard)) = sandbox.and_then(|it| Some((it, it.guard.as_ref()?))) else {
            return Ok(None);
        };
        let mounted: Vec<PathBuf> = sandbox
            .protected
            .iter()
            .filter_map(|place| place.canonicalize().ok())
            .collect();
        Self::take(guard, &mounted).map(Some)
    }

    fn take(guard: &Guard, mounted: &[PathBuf]) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let root = openat(CWD, &guard.root, flags, Mode::empty())?;
        let mut budget = Budget::new();
        let mut places = Vec::with_capacity(guard.places.len());
        for place in &guard.places {
            let path = guard.root.join(&place.path);
            places.push(Place {
                entry: capture(&root, &place.path, &mut budget)?,
                is_mounted: mounted.iter().any(|mounted| path.starts_with(mounted)),
                place: place.clone(),
            });
        }
        Ok(Self {
            root,
            places,
            has_gaps: guard.has_gaps || budget.is_exceeded,
        })
    }

    /// Puts back what is different now. `are_mounted` is whether what could be mounted read-only
    /// was: then others changed it.
    pub(crate) fn restore(&self, are_mounted: bool) -> Outcome {
        let mut restorer = Restorer::new(self.root.as_fd());
        for place in &self.places {
            if place.is_mounted && are_mounted {
                continue;
            }
            match place.place.rule {
                GuardRule::Unchanged => restorer.place(&place.place, &place.entry),
                GuardRule::NewRepository if place.entry == Entry::Absent => {
                    restorer.new_repository(&place.place.path);
                }
                GuardRule::NewRepository => {}
            }
        }
        let (mut restored, has_failed) = restorer.finish();
        restored.sort_unstable();
        Outcome {
            restored,
            has_gaps: self.has_gaps || has_failed,
        }
    }
}

/// What is at `path` below `root`. What is behind a link is not there.
fn capture(root: &OwnedFd, path: &Path, budget: &mut Budget) -> io::Result<Entry> {
    let mut dir = root.try_clone()?;
    let mut names: Vec<&OsStr> = path.iter().collect();
    let Some(last) = names.pop() else {
        return Err(io::Error::other("a guarded place has no name"));
    };
    for name in names {
        match open_directory(dir.as_fd(), name) {
            Ok(opened) => dir = opened,
            Err(_) => return Ok(Entry::Absent),
        }
    }
    Ok(Entry::capture(dir.as_fd(), last, budget))
}
