//! One question to the kernel over a netlink socket.
//!
//! Crates that build such messages bring an async runtime or every message that there is.

use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};

use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recv, sendto, socket,
};

/// Of `linux/netlink.h`: an answer with an error number, 0 for success.
pub(super) const NLMSG_ERROR: u16 = 2;
/// The length of a header, in bytes.
pub(super) const HEADER: usize = 16;

/// A question that was sent.
pub(super) struct Question(OwnedFd);

impl Question {
    /// Sends a message of this type, whose header `body` follows.
    pub(super) fn ask(
        protocol: SockProtocol,
        kind: u16,
        flags: u16,
        body: &[u8],
    ) -> io::Result<Self> {
        let (family, close) = (AddressFamily::Netlink, SockFlag::SOCK_CLOEXEC);
        let socket = socket(family, SockType::Raw, close, protocol)?;
        let mut message = Vec::with_capacity(HEADER + body.len());
        // nlmsghdr: length, type, flags, sequence number, sender.
        message.extend_from_slice(&((HEADER + body.len()) as u32).to_ne_bytes());
        message.extend_from_slice(&kind.to_ne_bytes());
        message.extend_from_slice(&flags.to_ne_bytes());
        message.extend_from_slice(&[0; 8]);
        message.extend_from_slice(body);
        let kernel = NetlinkAddr::new(0, 0);
        sendto(socket.as_raw_fd(), &message, &kernel, MsgFlags::empty())?;
        Ok(Self(socket))
    }

    /// Waits for the next piece of the answer.
    pub(super) fn answer<'a>(&self, piece: &'a mut [u8]) -> io::Result<&'a [u8]> {
        let length = recv(self.0.as_raw_fd(), piece, MsgFlags::empty())?;
        Ok(&piece[..length])
    }
}
