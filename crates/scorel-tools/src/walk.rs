//! Directory walks that honour ignore files.

mod scan;

use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ignore::WalkBuilder;
use scorel_files::{OF_THE_KERNEL, VCS_DIRECTORIES, has_blocking_ignore_file};

use crate::error::{ErrorCode, ToolError};
use crate::pace::Interruption;
use crate::roots::{EntryKind, Location};
use crate::running_call::RunningCall;

pub(crate) use scan::scan;

/// The end of a walk or scan.
#[derive(Debug)]
pub(crate) struct Scanned {
    pub(crate) unreadable: u64,
    /// The reason why it ended early, if it did.
    pub(crate) interruption: Option<Interruption>,
}

/// Calls `visit` with every entry below `start` in the order of path components, until it breaks. Does not follow
/// links. Skips directories for whose path below `start` `prune` returns true.
///
/// The `ignore` crate works with paths, which may be replaced while it runs. So an entry is only a name,
/// to be opened through the roots.
pub(crate) fn walk(
    call: &RunningCall,
    start: &Location,
    prune: impl Fn(&Path) -> bool + Send + Sync + 'static,
    mut visit: impl FnMut(&Path, WalkEntryKind) -> ControlFlow<()>,
) -> Result<Scanned, ToolError> {
    let mut plan = WalkPlan::new(call, start, None, prune)?;
    let (mut unreadable, mut interruption) = (0, None);
    for entry in plan.builder.sort_by_file_name(OsStr::cmp).build() {
        interruption = call.pace.check().err();
        if interruption.is_some() {
            break;
        }
        let Ok(entry) = entry else {
            unreadable += 1;
            continue;
        };
        if let Some(path) = below(&plan.system_start, entry.path())
            && visit(path, found_kind(&entry)).is_break()
        {
            break;
        }
    }
    Ok(Scanned {
        unreadable: unreadable + plan.blocked.load(Ordering::Relaxed),
        interruption,
    })
}

/// The configuration of a walk or scan.
struct WalkPlan {
    system_start: PathBuf,
    builder: WalkBuilder,
    /// Directories that were skipped for an ignore file that could block.
    blocked: Arc<AtomicU64>,
}

impl WalkPlan {
    fn new(
        call: &RunningCall,
        start: &Location,
        depth: Option<usize>,
        prune: impl Fn(&Path) -> bool + Send + Sync + 'static,
    ) -> Result<Self, ToolError> {
        let system_start = call.roots.real_path(start)?;
        if has_blocking_ignore_file(&system_start) {
            return Err(ToolError::new(
                ErrorCode::NotAFile,
                format!("an ignore file in {start} is not a regular file"),
            ));
        }
        let below = system_start.clone();
        let blocked = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&blocked);
        let mut builder = WalkBuilder::new(&system_start);
        builder
            .hidden(false)
            .follow_links(false)
            .max_depth(depth)
            .current_dir(&system_start)
            .filter_entry(move |entry| {
                let name = entry.file_name().to_str();
                if name.is_some_and(|name| VCS_DIRECTORIES.contains(&name)) {
                    return false;
                }
                if !entry.file_type().is_some_and(|kind| kind.is_dir()) {
                    return true;
                }
                if OF_THE_KERNEL
                    .iter()
                    .any(|place| entry.path() == Path::new(place))
                {
                    return false;
                }
                if has_blocking_ignore_file(entry.path()) {
                    count.fetch_add(1, Ordering::Relaxed);
                    return false;
                }
                !prune(entry.path().strip_prefix(&below).unwrap_or(entry.path()))
            });
        Ok(Self {
            system_start,
            builder,
            blocked,
        })
    }
}

/// The kind of an entry when its directory was listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkEntryKind {
    /// Something that is not a link.
    Entry(EntryKind),
    /// A link, not followed.
    Link,
}

/// The part of a path below `start`; `None` for `start` itself. Compares bytes: comparing components
/// takes longer than listing an entry.
fn below<'a>(start: &Path, path: &'a Path) -> Option<&'a Path> {
    let (start, path) = (start.as_os_str().as_bytes(), path.as_os_str().as_bytes());
    let start = start.strip_suffix(b"/").unwrap_or(start);
    let rest = path.strip_prefix(start)?.strip_prefix(b"/")?;
    (!rest.is_empty()).then(|| Path::new(OsStr::from_bytes(rest)))
}

fn found_kind(entry: &ignore::DirEntry) -> WalkEntryKind {
    match entry.file_type() {
        Some(kind) if kind.is_symlink() => WalkEntryKind::Link,
        Some(kind) if kind.is_dir() => WalkEntryKind::Entry(EntryKind::Directory),
        Some(kind) if kind.is_file() => WalkEntryKind::Entry(EntryKind::File),
        _ => WalkEntryKind::Entry(EntryKind::Special),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_below_the_start_is_what_stands_after_it() {
        for (start, path, rest) in [
            ("/a/b", "/a/b/c/d", Some("c/d")),
            ("/a/b/", "/a/b/c", Some("c")),
            ("/", "/a", Some("a")),
            ("/a/b", "/a/b", None),
            ("/a/b/", "/a/b/", None),
            ("/a/b", "/a/bc", None),
        ] {
            let found = below(Path::new(start), Path::new(path));
            assert_eq!(found, rest.map(Path::new), "{start} {path}");
        }
    }
}
