//! The loopback interface of a new network namespace, which is down at first.
//!
//! One message to the kernel. Crates that build such messages bring an async runtime or every message
//! that there is.

use std::io;
use std::os::fd::AsRawFd as _;

use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recv, sendto, socket,
};

/// Of `linux/rtnetlink.h`: changes an interface.
const RTM_NEWLINK: u16 = 16;
/// Of `linux/netlink.h`: a request, and one that is answered also if it succeeds.
const NLM_F_REQUEST_ACK: u16 = 0x1 | 0x4;
/// Of `linux/netlink.h`: an answer with an error number, 0 for success.
const NLMSG_ERROR: u16 = 2;
/// Of `linux/if.h`.
const IFF_UP: u32 = 1;
/// The loopback interface has this index in every network namespace.
const LOOPBACK: i32 = 1;

/// Of a header.
const HEADER: usize = 16;
/// Of a header and an `ifinfomsg`.
const LENGTH: usize = HEADER + 16;

/// Sets the loopback interface up; with that it has 127.0.0.1 and ::1.
pub(super) fn set_up() -> io::Result<()> {
    let socket = socket(
        AddressFamily::Netlink,
        SockType::Raw,
        SockFlag::SOCK_CLOEXEC,
        SockProtocol::NetlinkRoute,
    )?;
    let kernel = NetlinkAddr::new(0, 0);
    sendto(socket.as_raw_fd(), &request(), &kernel, MsgFlags::empty())?;
    let mut answer = [0; 256];
    let length = recv(socket.as_raw_fd(), &mut answer, MsgFlags::empty())?;
    check(&answer[..length])
}

fn request() -> Vec<u8> {
    let mut message = Vec::with_capacity(LENGTH);
    // nlmsghdr: length, type, flags, sequence number, sender.
    message.extend_from_slice(&(LENGTH as u32).to_ne_bytes());
    message.extend_from_slice(&RTM_NEWLINK.to_ne_bytes());
    message.extend_from_slice(&NLM_F_REQUEST_ACK.to_ne_bytes());
    message.extend_from_slice(&[0; 8]);
    // ifinfomsg: family, padding, type, index, flags, which flags to change.
    message.extend_from_slice(&[0; 4]);
    message.extend_from_slice(&LOOPBACK.to_ne_bytes());
    message.extend_from_slice(&IFF_UP.to_ne_bytes());
    message.extend_from_slice(&IFF_UP.to_ne_bytes());
    message
}

fn check(answer: &[u8]) -> io::Result<()> {
    let kind = answer.get(4..6).and_then(|it| it.try_into().ok());
    let error = answer.get(HEADER..HEADER + 4);
    let error = error.and_then(|it| it.try_into().ok());
    match (kind.map(u16::from_ne_bytes), error.map(i32::from_ne_bytes)) {
        (Some(NLMSG_ERROR), Some(0)) => Ok(()),
        (Some(NLMSG_ERROR), Some(error)) => Err(io::Error::from_raw_os_error(-error)),
        _ => Err(io::Error::other("an unknown answer about the interface")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_apart() {
        assert_eq!(request().len(), LENGTH);
        let mut answer = [0; HEADER + 4];
        answer[4..6].copy_from_slice(&NLMSG_ERROR.to_ne_bytes());
        check(&answer).unwrap();
        answer[HEADER..].copy_from_slice(&(-1_i32).to_ne_bytes());
        let refused = check(&answer).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
        check(&answer[..HEADER]).unwrap_err();
    }
}
