//! System calls of the sandbox that have no safe function: those that another process makes instead of the
//! caller (seccomp's user notification), and `fork`.
//!
//! A crate of its own, because these are the only functions of the sandbox with `unsafe` code. Their uses, and
//! what decides about a call, are elsewhere.

#![cfg(target_os = "linux")]

use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{fs, io, process};

/// Receives calls of the thread that [installed](Self::install) it and of that thread's descendants.
#[derive(Debug)]
pub struct Listener(OwnedFd);

/// A call whose thread waits for an [answer](Listener::answer).
#[derive(Debug, Clone, Copy)]
pub struct Call {
    id: u64,
    /// The thread, in the pid namespace of the receiver. Another one may have this number once the call
    /// is no longer [pending](Listener::is_pending).
    pub thread: i32,
    /// As they are in the registers.
    pub arguments: [u64; 6],
}

impl Listener {
    /// Has the calling thread, and what it starts from now on, wait for an answer wherever it makes the
    /// system call `number`. Needs `no_new_privs`, and that no filter of the thread has a listener yet.
    ///
    /// Once a call was received only a deadly signal interrupts it: a handler that has it restarted
    /// would have it made twice.
    ///
    /// # Errors
    /// The kernel is older than Linux 5.19, or refuses.
    #[expect(unsafe_code, reason = "there is no safe function for it")]
    pub fn install(number: u32) -> io::Result<Self> {
        const LOAD_WORD: u16 = 0x20;
        const JUMP_IF_EQUAL: u16 = 0x15;
        const RETURN: u16 = 0x06;
        let instruction = |code, jf, k| libc::sock_filter { code, jt: 0, jf, k };
        let mut program = [
            instruction(LOAD_WORD, 0, 0),
            instruction(JUMP_IF_EQUAL, 1, number),
            instruction(RETURN, 0, libc::SECCOMP_RET_USER_NOTIF),
            instruction(RETURN, 0, libc::SECCOMP_RET_ALLOW),
        ];
        let program = libc::sock_fprog {
            len: 4,
            filter: program.as_mut_ptr(),
        };
        let flags =
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
        let mode = libc::SECCOMP_SET_MODE_FILTER;
        // SAFETY: `program` and the instructions that it points to live until the call returns, and the
        // kernel only reads them.
        let fd =
            checked(unsafe { libc::syscall(libc::SYS_seccomp, mode, flags, &raw const program) })?;
        let fd = i32::try_from(fd).map_err(io::Error::other)?;
        // SAFETY: the kernel has just made this descriptor, close-on-exec, and nothing else owns it.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Waits for a call. Several threads may wait.
    ///
    /// # Errors
    /// `ENOENT`: the call was interrupted before it was received, or no thread is left that could make one.
    #[expect(unsafe_code, reason = "there is no safe function for it")]
    pub fn receive(&self) -> io::Result<Call> {
        let data = libc::seccomp_data {
            nr: 0,
            arch: 0,
            instruction_pointer: 0,
            args: [0; 6],
        };
        // The kernel demands zeros.
        let mut call = libc::seccomp_notif {
            id: 0,
            pid: 0,
            flags: 0,
            data,
        };
        // SAFETY: the number of the request holds the size of this struct, and the kernel writes no more.
        let received = unsafe {
            libc::ioctl(
                self.0.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_RECV,
                &raw mut call,
            )
        };
        checked(received.into())?;
        Ok(Call {
            id: call.id,
            thread: i32::try_from(call.pid).map_err(io::Error::other)?,
            arguments: call.data.args,
        })
    }

    /// Returns whether the thread still waits for its answer, so that its number is still its own.
    #[must_use]
    #[expect(unsafe_code, reason = "there is no safe function for it")]
    pub fn is_pending(&self, call: &Call) -> bool {
        // SAFETY: the kernel reads eight bytes.
        let result = unsafe {
            libc::ioctl(
                self.0.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_ID_VALID,
                &raw const call.id,
            )
        };
        result == 0
    }

    /// Has the call return 0, or fail with an error number. The thread's own call is never made.
    ///
    /// # Errors
    /// `ENOENT`: the thread was killed.
    #[expect(unsafe_code, reason = "there is no safe function for it")]
    pub fn answer(&self, call: &Call, error: Option<i32>) -> io::Result<()> {
        let answer = libc::seccomp_notif_resp {
            id: call.id,
            val: 0,
            error: error.map_or(0, |number| -number),
            flags: 0,
        };
        // SAFETY: the number of the request holds the size of this struct, and the kernel only reads it.
        let sent = unsafe {
            libc::ioctl(
                self.0.as_raw_fd(),
                libc::SECCOMP_IOCTL_NOTIF_SEND,
                &raw const answer,
            )
        };
        checked(sent.into()).map(drop)
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// `connect(2)` to an address of any family, as its bytes.
///
/// # Errors
/// Those of the call.
#[expect(
    unsafe_code,
    reason = "safe functions take addresses of families that they know"
)]
pub fn connect(socket: BorrowedFd<'_>, address: &[u8]) -> io::Result<()> {
    let length = libc::socklen_t::try_from(address.len()).map_err(io::Error::other)?;
    // SAFETY: the kernel reads `length` bytes, which `address` has, at any alignment.
    let connected = unsafe { libc::connect(socket.as_raw_fd(), address.as_ptr().cast(), length) };
    checked(connected.into()).map(drop)
}

/// The exit code of a copy that has panicked, as Rust programs have it.
const PANICKED: u8 = 101;

/// Has a copy of this process do `work` and exit with the code that it returns. Returns the copy's process id.
///
/// The copy has everything that this process has open.
///
/// # Errors
/// This process has other threads: locks that they hold would never be released in the copy. Or the kernel refuses.
#[expect(unsafe_code, reason = "there is no safe function for it")]
pub fn fork(work: impl FnOnce() -> u8) -> io::Result<i32> {
    if fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err(io::Error::other("a process with threads cannot be copied"));
    }
    // SAFETY: the only thread of this process makes the call, so the copy has all threads that there are.
    match checked(unsafe { libc::fork() }.into())? {
        0 => {
            // A panic must not unwind into what the copy has of the caller.
            let code = catch_unwind(AssertUnwindSafe(work)).unwrap_or(PANICKED);
            process::exit(code.into())
        }
        copy => i32::try_from(copy).map_err(io::Error::other),
    }
}

fn checked(result: libc::c_long) -> io::Result<libc::c_long> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        result => Ok(result),
    }
}
