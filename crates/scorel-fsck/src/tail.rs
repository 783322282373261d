use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use scorel_journal::open_regular;

use crate::daemon::Daemon;

/// The time to wait for the daemon to complete a line. It appends each with one `write`.
const APPEND_TIMEOUT: Duration = Duration::from_secs(2);

const PAUSE: Duration = Duration::from_millis(10);

/// Returns whether the incomplete line at `offset` was being appended by a running daemon: it then gets its
/// newline, or is truncated away.
pub(crate) fn is_being_written(path: &Path, offset: u64, daemon: &Daemon) -> bool {
    let deadline = Instant::now() + APPEND_TIMEOUT;
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
    let mut file = open_regular(File::options().read(true), path)?;
    if file.metadata()?.len() <= offset {
        return Ok(true);
    }
    file.seek(SeekFrom::Start(offset))?;
    let mut rest = BufReader::new(file).bytes().map_while(Result::ok);
    Ok(rest.any(|byte| byte == b'\n'))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write;

    use super::*;
    use scorel_home::Home;
    use scorel_home::HomeLock;

    /// A log whose last line begins at byte 6 and has no newline.
    fn torn() -> (tempfile::TempDir, std::path::PathBuf, Home) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        fs::write(&path, "whole\nhalf").unwrap();
        let home = Home::unopened(dir.path());
        (dir, path, home)
    }

    #[test]
    fn without_a_daemon_no_line_is_being_written() {
        let (_dir, path, home) = torn();
        assert!(!is_being_written(&path, 6, &Daemon::look(&home)));
        let _lock = HomeLock::try_take(&home.lock()).unwrap().unwrap();
        assert!(
            !is_being_written(&path, 6, &Daemon::look(&home)),
            "a daemon that leaves the line as it is does not write it"
        );
    }

    #[test]
    fn a_line_that_was_finished_or_cut_off_meanwhile_was_being_written() {
        let (_dir, path, home) = torn();
        let daemon = Daemon::look(&home);
        fs::write(&path, "whole\nhalf and half\nnext").unwrap();
        assert!(is_being_written(&path, 6, &daemon));
        fs::write(&path, "whole\n").unwrap();
        assert!(is_being_written(&path, 6, &daemon));
    }

    #[test]
    fn the_end_of_a_line_is_waited_for_while_a_daemon_runs() {
        let (_dir, path, home) = torn();
        let _lock = HomeLock::try_take(&home.lock()).unwrap().unwrap();
        let waiting = {
            let path = path.clone();
            thread::spawn(move || is_being_written(&path, 6, &Daemon::look(&home)))
        };
        let mut log = OpenOptions::new().append(true).open(&path).unwrap();
        log.write_all(b" and half\n").unwrap();
        assert!(waiting.join().unwrap());
    }
}
