use std::fs::File;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use fs2::FileExt as _;

/// The time that another program may hold the lock: it replaces one file. One that was stopped holds it
/// for ever.
pub const LOCK_LIMIT: Duration = Duration::from_secs(5);

/// The interval of tries, since a blocking call has no time limit.
const LOCK_INTERVAL: Duration = Duration::from_millis(5);

/// Keeps other programs of ours from replacing the file at `path` between a comparison and a rename, until
/// the returned file is closed. The lock is on the directory, which stays when the file is replaced. `None`
/// if another program holds it for longer than `limit`. Blocks.
///
/// # Errors
/// The directory cannot be opened.
pub fn lock_directory(path: &Path, limit: Duration) -> io::Result<Option<File>> {
    let dir = File::open(path.parent().unwrap_or(Path::new("/")))?;
    let give_up = Instant::now() + limit;
    // A network file system may lock no directory. The comparison guards alone then.
    while let Err(error) = dir.try_lock_exclusive()
        && error.kind() == io::ErrorKind::WouldBlock
    {
        if Instant::now() >= give_up {
            return Ok(None);
        }
        thread::sleep(LOCK_INTERVAL);
    }
    Ok(Some(dir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_another_program_keeps_is_not_waited_for_without_end() {
        let dir = tempfile::tempdir().unwrap();
        let lock = || lock_directory(&dir.path().join("config.toml"), LOCK_INTERVAL).unwrap();
        let held = lock();
        assert!(held.is_some());
        assert!(lock().is_none());
        drop(held);
        assert!(lock().is_some());
    }
}
