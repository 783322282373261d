//! The pipes of a command, on their way from the daemon to the process that becomes the command.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Command, Stdio};

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

/// Descriptors travel with at least one byte.
const CARRIER: u8 = b'p';

/// The command's ends of its three pipes. They are passed over the sockets that also carry the jobs:
/// `Command` hands a new process no other descriptors than its standard ones, and those of a
/// supervisor are taken.
#[derive(Debug)]
pub(crate) struct ChildPipes {
    pub(crate) stdin: OwnedFd,
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
}

impl ChildPipes {
    pub(crate) fn send(&self, socket: impl AsFd) -> io::Result<()> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        let pipes = [&self.stdin, &self.stdout, &self.stderr].map(AsFd::as_fd);
        if !ancillary.push(SendAncillaryMessage::ScmRights(&pipes)) {
            return Err(io::Error::other("no room for three descriptors"));
        }
        let carrier = [IoSlice::new(&[CARRIER])];
        sendmsg(socket, &carrier, &mut ancillary, SendFlags::NOSIGNAL)?;
        Ok(())
    }

    /// Blocks until they have come.
    pub(crate) fn receive(socket: impl AsFd) -> io::Result<Self> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(3))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let mut carrier = [0];
        loop {
            let mut parts = [IoSliceMut::new(&mut carrier)];
            let flags = RecvFlags::CMSG_CLOEXEC;
            match recvmsg(&socket, &mut parts, &mut ancillary, flags) {
                Ok(_) => break,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let rights = ancillary.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(pipes) => Some(pipes),
            _ => None,
        });
        let pipes: Vec<OwnedFd> = rights.flatten().collect();
        let [stdin, stdout, stderr] = pipes
            .try_into()
            .map_err(|_| io::Error::other("the pipes of the command did not come"))?;
        Ok(Self {
            stdin,
            stdout,
            stderr,
        })
    }

    pub(crate) fn attach(self, command: &mut Command) {
        command
            .stdin(Stdio::from(self.stdin))
            .stdout(Stdio::from(self.stdout))
            .stderr(Stdio::from(self.stderr));
    }
}
