//! `connect`, made for a command by the init of its pid namespace.
//!
//! A network namespace does not separate Unix sockets that are files, and a filter cannot look at an
//! address, which is behind a pointer. So the filter hands each `connect` to the init, which fetches the
//! caller's socket and a copy of the address and connects that one to this. Nothing that the command
//! changes meanwhile is looked at again: the file is opened once, and its descriptor is both judged and
//! connected to.
//!
//! A socket may be reached if it is on a mount that the command may write to, and listens in the
//! command's own network namespace. So it is one that the session has made: `bind` always makes a new
//! file, and no socket changes its namespace.
//!
//! The init can do it since it is in the command's namespaces, but not in its Landlock domain and under
//! no filter. It is the ancestor of all of the command's processes, so Yama (up to `ptrace_scope` 1) lets
//! it take their descriptors.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, IoSliceMut};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use rustix::fs::{Mode, OFlags, ResolveFlags, StatVfsMountFlags, fstatvfs, open, openat2};
use rustix::net::sockopt::{socket_domain, socket_type};
use rustix::net::{AddressFamily, SocketType};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use scorel_seccomp::{Call, Listener};

use super::listening::SocketFile;

/// Calls at a time. One that waits for room in the queue of a listener holds a thread and two descriptors.
const MAX_CALLS: usize = 128;

/// Of a thread, in bytes.
const STACK: usize = 128 * 1024;

/// `sockaddr_storage`, in bytes.
const LONGEST_ADDRESS: usize = 128;

pub(super) struct Connector {
    listener: Listener,
    /// Threads that wait for a call.
    idle: AtomicUsize,
    /// By the id of a mount, the number of its file system's device. `stat` tells another number on some
    /// file systems. The command cannot mount, so they stay.
    devices: OnceLock<HashMap<u64, u32>>,
}

/// Returns whether the kernel lets an init do that.
pub(crate) fn is_possible() -> bool {
    let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    let may_trace = !matches!(scope.trim(), "2" | "3");
    let nothing = SocketFile {
        inode: 0,
        device: 0,
    };
    may_trace && nothing.listens_here().is_ok()
}

impl Connector {
    /// Starts a thread that makes the calls until no process is left that could make one.
    pub(super) fn start(listener: Listener) -> io::Result<()> {
        let connector = Arc::new(Self {
            listener,
            idle: AtomicUsize::new(0),
            devices: OnceLock::new(),
        });
        connector.start_thread()
    }

    fn start_thread(self: &Arc<Self>) -> io::Result<()> {
        let connector = Arc::clone(self);
        let thread = thread::Builder::new().name("connector".to_owned());
        let task = move || connector.serve();
        thread.stack_size(STACK).spawn(task).map(drop)
    }

    /// Makes one call after the other. One may wait as long as a listener's queue is full, so another
    /// thread receives meanwhile.
    fn serve(self: Arc<Self>) {
        while !self.has_ended() {
            self.idle.fetch_add(1, Ordering::Relaxed);
            let received = self.listener.receive();
            let others = self.idle.fetch_sub(1, Ordering::Relaxed) - 1;
            let Ok(call) = received else { continue };
            if others == 0 && Arc::strong_count(&self) < MAX_CALLS {
                // Without it the next call waits for the end of this one.
                let _ignored: io::Result<()> = self.start_thread();
            }
            self.answer(&call, self.connect(&call));
        }
    }

    fn has_ended(&self) -> bool {
        let mut fds = [PollFd::new(self.listener.as_fd(), PollFlags::empty())];
        let _ignored = poll(&mut fds, PollTimeout::ZERO);
        fds[0]
            .revents()
            .is_some_and(|it| it.contains(PollFlags::POLLHUP))
    }

    fn answer(&self, call: &Call, result: io::Result<()>) {
        let error = result.err().map(|error| error.raw_os_error());
        let error = error.map(|number| number.unwrap_or(libc::EPERM));
        // Fails if the caller was killed.
        let _ignored: io::Result<()> = self.listener.answer(call, error);
    }

    fn connect(&self, call: &Call) -> io::Result<()> {
        let [descriptor, pointer, length, ..] = call.arguments;
        let address = read_address(call.thread, pointer, length as u32)?;
        let caller = pidfd_open(process_of(call.thread)?, PidfdFlags::empty())?;
        let path = path_in(&address);
        let base = path.map(|path| base(call.thread, path)).transpose()?;
        // All of that was found by a number, which could by now be that of one of this process's threads.
        if !self.listener.is_pending(call) {
            return Err(Errno::ESRCH.into());
        }
        let socket = pidfd_getfd(&caller, descriptor as i32, PidfdGetfdFlags::empty())?;
        // It may wait long, and with few descriptors.
        drop(caller);
        let is_unix = socket_domain(&socket)? == AddressFamily::UNIX;
        match path.zip(base) {
            Some((path, base)) if is_unix => {
                let file = self.reachable(base, path)?;
                let name = format!("/proc/self/fd/{}", file.as_raw_fd());
                connect_unix(&socket, name.as_bytes())
            }
            // Abstract names belong to the network namespace of the socket.
            _ if is_unix => connected(&socket, &address),
            _ => scorel_seccomp::connect(socket.as_fd(), &address),
        }
    }

    /// Opens a file that a socket is bound to, if the command may connect to it.
    fn reachable(&self, base: OwnedFd, path: &Path) -> io::Result<OwnedFd> {
        // `/` alone becomes an empty path, which nothing is at.
        let below = path.strip_prefix("/").unwrap_or(path);
        // Not through /proc/PID/fd and the like: `/proc/self` would be this process.
        let through = ResolveFlags::NO_MAGICLINKS;
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let file = openat2(base, below, flags, Mode::empty(), through)?;
        if fstatvfs(&file)?.f_flag.contains(StatVfsMountFlags::RDONLY) {
            return Err(Errno::EACCES.into());
        }
        match self.socket_file(&file)?.listens_here()? {
            true => Ok(file),
            // As for one that is left from a program that has ended, which it may be.
            false => Err(Errno::ECONNREFUSED.into()),
        }
    }

    /// The number of the inode, and that of the device by way of the mount.
    fn socket_file(&self, file: &OwnedFd) -> io::Result<SocketFile> {
        let text = fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_raw_fd()))?;
        let number = |field: &str| -> Option<u64> {
            let mut lines = text.lines();
            let value = lines.find_map(|line| line.strip_prefix(field))?;
            value.trim().parse().ok()
        };
        let device = number("mnt_id:").and_then(|mount| self.devices().get(&mount).copied());
        // The kernel tells the lower half of an inode number only, by which two files could be mistaken.
        let inode = number("ino:").and_then(|inode| u32::try_from(inode).ok());
        match inode.zip(device) {
            Some((inode, device)) => Ok(SocketFile { inode, device }),
            None => Err(Errno::EACCES.into()),
        }
    }

    fn devices(&self) -> &HashMap<u64, u32> {
        self.devices.get_or_init(|| {
            let table = fs::read("/proc/self/mountinfo").unwrap_or_default();
            let table = String::from_utf8_lossy(&table);
            table.lines().filter_map(mount_and_device).collect()
        })
    }
}

/// From a line of `mountinfo`. The kernel's own number has the minor part in the lower 20 bits.
fn mount_and_device(line: &str) -> Option<(u64, u32)> {
    let mut fields = line.split(' ');
    let mount = fields.next()?.parse().ok()?;
    let (major, minor) = fields.nth(1)?.split_once(':')?;
    let [major, minor]: [u32; 2] = [major.parse().ok()?, minor.parse().ok()?];
    Some((mount, major << 20 | minor))
}

/// A Unix socket that stays connected: the only ones that a command can make. One that does not could be
/// sent on to any other address.
fn connected(socket: &OwnedFd, address: &[u8]) -> io::Result<()> {
    match socket_type(socket)? {
        SocketType::STREAM | SocketType::SEQPACKET => {
            scorel_seccomp::connect(socket.as_fd(), address)
        }
        _ => Err(Errno::EPERM.into()),
    }
}

fn connect_unix(socket: &OwnedFd, path: &[u8]) -> io::Result<()> {
    let mut address = (libc::AF_UNIX as u16).to_ne_bytes().to_vec();
    address.extend_from_slice(path);
    connected(socket, &address)
}

/// Copies the address, once.
fn read_address(thread: i32, pointer: u64, length: u32) -> io::Result<Vec<u8>> {
    let length = length as usize;
    if length > LONGEST_ADDRESS {
        return Err(Errno::EINVAL.into());
    }
    let mut address = vec![0; length];
    if length == 0 {
        return Ok(address);
    }
    let remote = RemoteIoVec {
        base: usize::try_from(pointer).map_err(io::Error::other)?,
        len: length,
    };
    let thread = nix::unistd::Pid::from_raw(thread);
    let read = process_vm_readv(thread, &mut [IoSliceMut::new(&mut address)], &[remote])?;
    if read == length {
        Ok(address)
    } else {
        Err(Errno::EFAULT.into())
    }
}

/// The path in a `sockaddr_un`; `None` for an abstract name and for other addresses.
fn path_in(address: &[u8]) -> Option<&Path> {
    let family = (libc::AF_UNIX as u16).to_ne_bytes();
    let path = address.strip_prefix(&family)?;
    let path = path.split(|byte| *byte == 0).next()?;
    (!path.is_empty()).then(|| Path::new(OsStr::from_bytes(path)))
}

/// Where the path of a thread starts.
fn base(thread: i32, path: &Path) -> io::Result<OwnedFd> {
    let start = if path.is_absolute() { "root" } else { "cwd" };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(open(
        format!("/proc/{thread}/{start}"),
        flags,
        Mode::empty(),
    )?)
}

/// The process that a thread is of.
fn process_of(thread: i32) -> io::Result<Pid> {
    let status = fs::read_to_string(format!("/proc/{thread}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("Tgid:"));
    let number = line.and_then(|number| number.trim().parse().ok());
    let found = number.and_then(Pid::from_raw);
    found.ok_or_else(|| Errno::ESRCH.into())
}
