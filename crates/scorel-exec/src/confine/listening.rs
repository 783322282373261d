//! The Unix sockets that listen in this process's network namespace.
//!
//! One question to the kernel (`sock_diag`), which answers only about that namespace.

use std::io;

use nix::sys::socket::SockProtocol;

use super::netlink::{HEADER, NLMSG_ERROR, Question};

/// Of `linux/sock_diag.h`.
const SOCK_DIAG_BY_FAMILY: u16 = 20;
/// Of `linux/netlink.h`: a request, for all there are.
const NLM_F_REQUEST_DUMP: u16 = 0x1 | 0x300;
/// Of `linux/netlink.h`: the end of an answer in pieces.
const NLMSG_DONE: u16 = 3;
/// Of `linux/unix_diag.h`: shows the file that a socket is bound to, as an attribute of this type.
const UDIAG_SHOW_VFS: u32 = 2;
const UNIX_DIAG_VFS: u32 = 1;
/// Of `net/tcp_states.h`, which Unix sockets use, too.
const LISTENING: u32 = 1 << 10;
const AF_UNIX: u8 = 1;

/// The length of the fixed part of an answer, in bytes.
const ANSWER: usize = HEADER + 16;
/// The kernel sends answers in pieces of at most this.
const PIECE: usize = 32 * 1024;

/// A file as the kernel names it here: by the lower half of its inode number, and the number of its file
/// system's device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SocketFile {
    pub(super) inode: u32,
    pub(super) device: u32,
}

impl SocketFile {
    /// Returns whether a socket of this network namespace listens that is bound to this file.
    pub(super) fn listens_here(self) -> io::Result<bool> {
        let [listening, shown] = [LISTENING.to_ne_bytes(), UDIAG_SHOW_VFS.to_ne_bytes()];
        // unix_diag_req: family and protocol, states, inode, what to show, cookie.
        let body = [[AF_UNIX, 0, 0, 0], listening, [0; 4], shown, [0; 4], [0; 4]].concat();
        let (protocol, kind) = (SockProtocol::NetlinkSockDiag, SOCK_DIAG_BY_FAMILY);
        let question = Question::ask(protocol, kind, NLM_F_REQUEST_DUMP, &body)?;
        let mut piece = vec![0; PIECE];
        loop {
            if let Some(found) = self.is_in(question.answer(&mut piece)?)? {
                return Ok(found);
            }
        }
    }

    /// Returns whether it is among the answers of a piece; `None` if more follow.
    fn is_in(self, mut piece: &[u8]) -> io::Result<Option<bool>> {
        if piece.is_empty() {
            return Err(io::Error::other("no answer about the sockets"));
        }
        while let Some((message, rest)) = split(piece, word(piece, 0)) {
            match word(message, 4) as u16 {
                NLMSG_DONE => return Ok(Some(false)),
                NLMSG_ERROR => {
                    let error = word(message, HEADER).cast_signed();
                    return Err(io::Error::from_raw_os_error(-error));
                }
                _ if self.is_of(message) => return Ok(Some(true)),
                _ => piece = rest,
            }
        }
        Ok(None)
    }

    fn is_of(self, message: &[u8]) -> bool {
        let mut attributes = message.get(ANSWER..).unwrap_or_default();
        while let Some((attribute, rest)) = split(attributes, word(attributes, 0) & 0xffff) {
            if word(attribute, 0) >> 16 == UNIX_DIAG_VFS {
                let found = Self {
                    inode: word(attribute, 4),
                    device: word(attribute, 8),
                };
                return found == self;
            }
            attributes = rest;
        }
        false
    }
}

/// Splits off the first part, which has this length. Each starts at a multiple of four.
fn split(bytes: &[u8], length: u32) -> Option<(&[u8], &[u8])> {
    let length = length as usize;
    let part = bytes.get(..length).filter(|_| length >= 4)?;
    let rest = bytes.get(length.next_multiple_of(4)..);
    Some((part, rest.unwrap_or_default()))
}

/// The four bytes there; 0 after the end.
fn word(bytes: &[u8], at: usize) -> u32 {
    let found = bytes.get(at..at + 4).and_then(|it| it.try_into().ok());
    found.map_or(0, u32::from_ne_bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_file_listens_while_its_socket_does() {
        let directory = tempfile::tempdir().unwrap();
        // More than a piece has room for.
        let bind = |name: usize| UnixListener::bind(directory.path().join(name.to_string()));
        let listeners: Vec<_> = (0..1000).map(|name| bind(name).unwrap()).collect();
        let file = |name: usize| {
            let metadata = directory.path().join(name.to_string()).metadata().unwrap();
            let (major, minor) = (metadata.dev() >> 8 & 0xfff, metadata.dev() & 0xff);
            SocketFile {
                inode: metadata.ino() as u32,
                device: (major << 20 | minor) as u32,
            }
        };
        assert!(file(0).listens_here().unwrap());
        assert!(file(999).listens_here().unwrap());
        let other = SocketFile {
            device: u32::MAX,
            ..file(0)
        };
        assert!(!other.listens_here().unwrap());
        drop(listeners);
        // A process that another test starts has them too, until it executes a program.
        let has_ended = |_| !file(0).listens_here().unwrap();
        assert!((0..10_000).any(has_ended));
    }
}
