//! Atomic replacement of small files.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::EVENTS;
use crate::storage::{LogFile, OpenMode, Storage, append_all, read_exact_at, remove_if_present};

/// Makes the names of temporary files unique, together with the id of the process.
static TEMPORARY: AtomicU64 = AtomicU64::new(0);

/// Replaces the content of the file at `path` atomically, or creates it.
///
/// The content goes to a temporary file (mode 0600) in the same directory, which is synced, renamed
/// over `path`, and the directory is synced. The file is synced before the rename, since a file system
/// may write the rename first and leave an empty file after a crash; the directory after it, or the
/// rename itself may be lost.
///
/// # Errors
///
/// Any I/O error; the file has its old content unless only the sync of the directory failed.
pub fn replace_file(storage: &dyn Storage, path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace_file_if(storage, path, bytes, || Ok(()))
}

/// As [`replace_file`], if the file may be replaced: `check` is called right before the rename, once the content is safe.
///
/// # Errors
///
/// As [`replace_file`], or that of `check`. The file has its old content then.
pub fn replace_file_if(
    storage: &dyn Storage,
    path: &Path,
    bytes: &[u8],
    check: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    replace(storage, path, bytes, |file| {
        file.sync_data()?;
        check()
    })?;
    match path.parent() {
        Some(dir) if dir != Path::new("") => storage.sync_dir(dir),
        _ => storage.sync_dir(Path::new(".")),
    }
}

/// As [`replace_file`], without a sync: for a file that tells only of a process, which the crash of the machine
/// ends too, or that is made again from another. After one it may be empty, damaged or the old one.
///
/// # Errors
///
/// Any I/O error; the file has its old content.
pub fn replace_unsynced(storage: &dyn Storage, path: &Path, bytes: &[u8]) -> io::Result<()> {
    replace(storage, path, bytes, |_| Ok(()))
}

fn replace(
    storage: &dyn Storage,
    path: &Path,
    bytes: &[u8],
    before_rename: impl FnOnce(&dyn LogFile) -> io::Result<()>,
) -> io::Result<()> {
    let temporary = temporary_name(path)?;
    let written = write_new(storage, &temporary, bytes).and_then(|file| before_rename(&*file));
    if let Err(error) = written.and_then(|()| storage.rename(&temporary, path)) {
        // The first error is the one to report.
        let _ = remove_if_present(storage, &temporary);
        return Err(error);
    }
    Ok(())
}

/// Reads the whole file at `path`.
///
/// # Errors
///
/// `FileTooLarge` if it is longer than `max` bytes, `InvalidInput` if it is not a regular file, or any
/// other I/O error.
pub fn read_bounded(storage: &dyn Storage, path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let file = storage.open(path, OpenMode::Read)?;
    let len = file.status()?.len;
    if len > max {
        let text = format!("{len} bytes instead of at most {max}");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    let len = usize::try_from(len).map_err(|_| io::ErrorKind::FileTooLarge)?;
    let mut bytes = vec![0; len];
    read_exact_at(&*file, &mut bytes, 0)?;
    Ok(bytes)
}

/// Returns whether a file has a name that only unfinished writes have: of [`replace_file`], or of a log that is
/// created, copied or repaired. A crash leaves such files; nothing refers to them.
pub fn is_temporary(name: &str) -> bool {
    let replaced = || {
        let (_, count) = name
            .strip_prefix('.')?
            .strip_suffix(".tmp")?
            .rsplit_once('.')?;
        count.parse::<u64>().ok()
    };
    let log = name.strip_prefix(EVENTS);
    log.is_some_and(|end| [".new", ".tail", ".copy", ".repaired"].contains(&end))
        || replaced().is_some()
}

/// Hidden, in the same directory (`rename` does not cross file systems), and of this write alone: another
/// process may replace the same file.
fn temporary_name(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let count = TEMPORARY.fetch_add(1, Ordering::Relaxed);
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".{}.{count}.tmp", std::process::id()));
    Ok(path.with_file_name(temporary))
}

fn write_new(storage: &dyn Storage, path: &Path, bytes: &[u8]) -> io::Result<Arc<dyn LogFile>> {
    // A crash may have left one: ids of processes are used again, and the counter starts at zero.
    remove_if_present(storage, path)?;
    let file = storage.create_new(path)?;
    append_all(&*file, bytes)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::FileStorage;

    #[test]
    fn replacing_leaves_no_other_file() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("device.json");
        for content in ["one", "", "a longer text"] {
            replace_file(&FileStorage, &path, content.as_bytes()).expect("writable");
            assert_eq!(fs::read_to_string(&path).expect("readable"), content);
        }
        let mode = fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(fs::read_dir(dir.path()).expect("readable").count(), 1);
    }

    #[test]
    fn a_check_is_the_last_thing_before_the_rename() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("file");
        fs::write(&path, "old").expect("writable");
        let content = |path: &Path| fs::read_to_string(path).expect("readable");
        let refused = replace_file_if(&FileStorage, &path, b"new", || {
            let names = fs::read_dir(dir.path()).expect("readable");
            let paths = names.map(|it| it.expect("an entry").path());
            let beside: Vec<_> = paths.filter(|it| *it != path).collect();
            assert_eq!((beside.len(), content(&beside[0])), (1, "new".to_owned()));
            assert_eq!(content(&path), "old");
            fs::write(&path, "mine").expect("writable");
            Err(io::ErrorKind::Other.into())
        });
        assert!(refused.is_err());
        assert_eq!(content(&path), "mine");
        assert_eq!(fs::read_dir(dir.path()).expect("readable").count(), 1);
        replace_file_if(&FileStorage, &path, b"new", || Ok(())).expect("writable");
        assert_eq!(content(&path), "new");
    }

    #[test]
    fn temporary_names_are_known() {
        let temporary = temporary_name(Path::new("/h/device.json")).expect("a file's name");
        let name = temporary.file_name().expect("a name");
        assert!(is_temporary(name.to_str().expect("text")));
        for name in ["events.jsonl.new", "events.jsonl.copy", ".index.3.tmp"] {
            assert!(is_temporary(name), "{name}");
        }
        for name in [
            "events.jsonl",
            "events.jsonl.torn-9",
            ".tmp",
            ".mine.tmp",
            "index.3.tmp",
        ] {
            assert!(!is_temporary(name), "{name}");
        }
    }

    #[test]
    fn only_regular_files_up_to_the_limit_are_read() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("file");
        fs::write(&path, "12345").expect("writable");
        let read = |path: &Path, max| read_bounded(&FileStorage, path, max);
        assert_eq!(read(&path, 5).expect("small enough"), b"12345");
        let kind = |result: io::Result<Vec<u8>>| result.expect_err("refused").kind();
        assert_eq!(kind(read(&path, 4)), io::ErrorKind::FileTooLarge);
        assert_eq!(kind(read(dir.path(), 9)), io::ErrorKind::InvalidInput);
        let link = dir.path().join("link");
        symlink(&path, &link).expect("a link");
        assert!(read(&link, 9).is_err());
        let fifo = dir.path().join("fifo");
        let made = std::process::Command::new("mkfifo").arg(&fifo).status();
        assert!(made.expect("mkfifo runs").success());
        assert_eq!(kind(read(&fifo, 9)), io::ErrorKind::InvalidInput);
    }
}
