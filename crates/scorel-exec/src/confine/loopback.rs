//! The loopback interface of a new network namespace, which is down at first.

use std::io;

use nix::sys::socket::SockProtocol;

use super::netlink::{HEADER, NLMSG_ERROR, Question};

/// Of `linux/rtnetlink.h`: changes an interface.
const RTM_NEWLINK: u16 = 16;
/// Of `linux/netlink.h`: a request, and one that is answered also if it succeeds.
const NLM_F_REQUEST_ACK: u16 = 0x1 | 0x4;
/// Of `linux/if.h`.
const IFF_UP: u32 = 1;
/// The loopback interface has this index in every network namespace.
const LOOPBACK: i32 = 1;

/// Sets the loopback interface up; with that it has 127.0.0.1 and ::1.
pub(super) fn set_up() -> io::Result<()> {
    let [index, up] = [LOOPBACK.to_ne_bytes(), IFF_UP.to_ne_bytes()];
    // ifinfomsg: family, padding, type, index, flags, which flags to change.
    let body = [[0; 4], index, up, up].concat();
    let route = SockProtocol::NetlinkRoute;
    let question = Question::ask(route, RTM_NEWLINK, NLM_F_REQUEST_ACK, &body)?;
    check(question.answer(&mut [0; 256])?)
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
        let mut answer = [0; HEADER + 4];
        answer[4..6].copy_from_slice(&NLMSG_ERROR.to_ne_bytes());
        check(&answer).unwrap();
        answer[HEADER..].copy_from_slice(&(-1_i32).to_ne_bytes());
        let refused = check(&answer).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::PermissionDenied);
        check(&answer[..HEADER]).unwrap_err();
    }
}
