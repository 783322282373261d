//! Closing file descriptors that a new process has inherited.

use std::fs;
use std::io;
use std::os::fd::RawFd;

use nix::unistd::close;

/// Closes descriptors without close-on-exec that the process which started the daemon left open.
/// `except` stays open.
pub(super) fn close_inherited(except: Option<RawFd>) -> io::Result<()> {
    let entries = fs::read_dir("/proc/self/fd")?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let open: Vec<RawFd> = names.filter_map(|name| name.parse().ok()).collect();
    for fd in open.into_iter().filter(|fd| *fd > 2 && Some(*fd) != except) {
        // EBADF for the descriptor of the directory stream, which was among them.
        let _ignored = close(fd);
    }
    Ok(())
}
