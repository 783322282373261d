use std::io::{self, IoSlice};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};

/// Sends bytes with `count` open file descriptors attached (`SCM_RIGHTS`).
///
/// # Errors
///
/// `sendmsg(2)` failed.
pub fn send_descriptors(stream: &UnixStream, bytes: &[u8], count: usize) -> io::Result<()> {
    let descriptors = vec![stream.as_raw_fd(); count];
    let rights = [ControlMessage::ScmRights(&descriptors)];
    sendmsg::<()>(
        stream.as_raw_fd(),
        &[IoSlice::new(bytes)],
        &rights,
        MsgFlags::empty(),
        None,
    )?;
    Ok(())
}
