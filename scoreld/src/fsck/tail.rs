use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use scorel_journal::{Access, FileStorage, LogFile, Storage};

use super::daemon::Daemon;

/// How long the daemon may take to finish a line. It writes one with one system call.
const PATIENCE: Duration = Duration::from_secs(2);

const PAUSE: Duration = Duration::from_millis(10);

const CHUNK: usize = 64 * 1024;

/// Whether the line at `offset`, which had no newline, is one that the daemon was writing: it gets
/// its newline, or is cut off again.
pub(super) fn is_being_written(path: &Path, offset: u64, daemon: &Daemon) -> bool {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if is_finished(path, offset).unwrap_or(false) {
            return true;
        }
        if !daemon.is_running() || Instant::now() >= deadline {
            return false;
        }
        thread::sleep(PAUSE);
    }
}

fn is_finished(path: &Path, offset: u64) -> io::Result<bool> {
    let file = FileStorage.open(path, Access::Read)?;
    if file.status()?.len <= offset {
        return Ok(true);
    }
    has_newline(&*file, offset)
}

fn has_newline(file: &dyn LogFile, mut offset: u64) -> io::Result<bool> {
    let mut buffer = vec![0; CHUNK];
    loop {
        let count = file.read_at(&mut buffer, offset)?;
        if count == 0 {
            return Ok(false);
        }
        if buffer[..count].contains(&b'\n') {
            return Ok(true);
        }
        offset += count as u64;
    }
}
