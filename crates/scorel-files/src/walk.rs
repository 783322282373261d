//! The files of a project that are watched.

use std::borrow::Cow;
use std::fs::Metadata;
use std::io;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use ignore::WalkBuilder;
use rustix::fs::FileType;
use scorel_proto::FilePath;

/// Data of version control systems, never walked.
pub const VCS_DIRECTORIES: [&str; 6] = [".git", ".hg", ".svn", ".bzr", ".jj", ".sl"];

/// File systems of the kernel: walked only from inside them, and not what rules on files are about.
pub const OF_THE_KERNEL: [&str; 3] = ["/dev", "/proc", "/sys"];

/// The files that the `ignore` crate opens in every directory, blocking on a named pipe.
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".git/info/exclude"];

/// The number of files that a watched project may have.
pub(crate) const MAX_FILES: usize = 20_000;

/// So many entries are listed however long it takes. Time passes on a busy machine without any work done,
/// and a small project must not lose its undo for that.
const SMALL: usize = 256;

/// Returns whether reading a directory's ignore files could block, as on a named pipe.
pub fn has_blocking_ignore_file(directory: &Path) -> bool {
    IGNORE_FILES.iter().any(|name| {
        rustix::fs::stat(directory.join(name)).is_ok_and(|stat| {
            let kind = FileType::from_raw_mode(stat.st_mode);
            !matches!(kind, FileType::RegularFile | FileType::Directory)
        })
    })
}

/// Calls `visit` with the files and links below `project` that are not ignored.
///
/// # Errors
///
/// Why the project cannot be watched, for people: it has too many files, or the walk takes longer than
/// `limit` and the project is not a small one.
pub(crate) fn walk(
    project: &Path,
    limit: Duration,
    mut visit: impl FnMut(FilePath, Metadata) -> Result<(), String>,
) -> Result<(), String> {
    let deadline = Instant::now() + limit;
    let mut files = 0;
    if has_blocking_ignore_file(project) {
        return Err("an ignore file of the project is not a regular file".to_owned());
    }
    for (listed, entry) in walker(project).enumerate() {
        if listed >= SMALL && Instant::now() >= deadline {
            return Err(format!(
                "listing the project's files takes longer than {} ms",
                limit.as_millis()
            ));
        }
        // An entry that cannot be listed, or is gone again, counts as absent.
        let Ok(entry) = entry else { continue };
        let is_file = |kind: std::fs::FileType| kind.is_file() || kind.is_symlink();
        if !entry.file_type().is_some_and(is_file) {
            continue;
        }
        let (Some(path), Ok(metadata)) = (below(project, entry.path()), entry.metadata()) else {
            continue;
        };
        files += 1;
        if files > MAX_FILES {
            return Err(format!("the project has more than {MAX_FILES} files"));
        }
        visit(path, metadata)?;
    }
    Ok(())
}

/// Calls `visit` with the files below `project`, in no particular order, until it breaks, for at most `limit`: with
/// the path below the project, and with the real path, which is another one for a link. Returns whether it has seen
/// all files. Passes over what is ignored, paths that are not UTF-8, and links that lead to anything but a regular
/// file of the project. Blocks.
///
/// # Errors
///
/// If the project cannot be listed.
pub fn visit_files(
    project: &Path,
    limit: Duration,
    mut visit: impl FnMut(&str, &Path) -> ControlFlow<()>,
) -> io::Result<bool> {
    let project = project.canonicalize()?;
    std::fs::read_dir(&project)?;
    if has_blocking_ignore_file(&project) {
        let text = "an ignore file of the project is not a regular file";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let deadline = Instant::now() + limit;
    for (listed, entry) in walker(&project).enumerate() {
        if listed >= SMALL && Instant::now() >= deadline {
            return Ok(false);
        }
        // An entry that cannot be listed, or is gone again, counts as absent.
        let Ok(entry) = entry else { continue };
        let Some(real) = real_file(&project, &entry) else {
            continue;
        };
        let name = entry.path().strip_prefix(&project).ok();
        let Some(name) = name.and_then(Path::to_str) else {
            continue;
        };
        if visit(name, &real).is_break() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Where an entry's content is, if that is a regular file of the project.
fn real_file<'a>(project: &Path, entry: &'a ignore::DirEntry) -> Option<Cow<'a, Path>> {
    let kind = entry.file_type()?;
    if kind.is_file() {
        return Some(Cow::Borrowed(entry.path()));
    }
    let real = kind
        .is_symlink()
        .then(|| entry.path().canonicalize().ok())??;
    (real.starts_with(project) && real.is_file()).then_some(Cow::Owned(real))
}

fn walker(project: &Path) -> ignore::Walk {
    WalkBuilder::new(project)
        .hidden(false)
        .follow_links(false)
        .current_dir(project)
        .filter_entry(|entry| {
            let name = entry.file_name().to_str();
            if name.is_some_and(|name| VCS_DIRECTORIES.contains(&name)) {
                return false;
            }
            let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
            let is_of_the_kernel = || OF_THE_KERNEL.iter().any(|it| entry.path() == Path::new(it));
            !is_directory || !(is_of_the_kernel() || has_blocking_ignore_file(entry.path()))
        })
        .build()
}

/// The part of a path below the project.
pub(crate) fn below(project: &Path, path: &Path) -> Option<FilePath> {
    let rest = path.strip_prefix(project).ok()?;
    FilePath::from_bytes(rest.as_os_str().as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_small_project_is_listed_however_long_it_takes() {
        let project = tempfile::tempdir().unwrap();
        // The project itself is an entry too.
        for number in 1..SMALL {
            fs::write(project.path().join(number.to_string()), "").unwrap();
        }
        let mut listed = 0;
        let mut count = |_, _| {
            listed += 1;
            Ok(())
        };
        walk(project.path(), Duration::ZERO, &mut count).unwrap();
        assert_eq!(listed, SMALL - 1);
        fs::write(project.path().join("more"), "").unwrap();
        let refused = walk(project.path(), Duration::ZERO, |_, _| Ok(())).unwrap_err();
        assert!(refused.contains("takes longer than 0 ms"), "{refused}");
    }
}
