//! System calls, restricted by seccomp: what Landlock does not cover.

use std::collections::BTreeMap;
use std::fs;
use std::io;

use nix::libc::{self, c_int, c_long};
use seccompiler::{
    BpfProgram, Error, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op,
    SeccompCondition as Condition, SeccompFilter, SeccompRule as Rule, TargetArch, apply_filter,
};

use scorel_seccomp::Listener;

use super::foreign_processes;
use crate::job::NamespaceJob;
use crate::sandbox::Sandbox;

/// `SOCK_NONBLOCK` and `SOCK_CLOEXEC` are in the same argument, above these bits.
const TYPE_MASK: u64 = 0xf;

/// Calls that builds do not need and that lead around other restrictions.
const DENIED: &[c_long] = &[
    // Makes system calls from kernel threads, which no filter sees: with it a command could open a Unix
    // socket.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Opens a file by its number, past every path that hides it, and past Landlock for a superuser.
    libc::SYS_open_by_handle_at,
    // The kernel's keyrings hold credentials of the user's session, such as tickets of Kerberos.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Load programs into the kernel, or sample what runs outside of the sandbox. Flaws of both have made
    // users superusers.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    // Halts the kernel in the middle of a copy for as long as a program likes, which turns races of the
    // kernel into certainties.
    libc::SYS_userfaultfd,
];

/// System V IPC and message queues, refused where the command has no namespace for them: they would
/// outlive it, and those of other programs would be open to it.
const SHARED_IPC: &[c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

#[derive(Debug, thiserror::Error)]
pub(super) enum SeccompError {
    #[error("{0}")]
    Filter(#[from] Error),
    #[error("cannot receive calls: {0}")]
    Listener(#[from] io::Error),
}

/// Returns whether the kernel has the actions and this architecture that the filters need.
pub(crate) fn is_there() -> bool {
    let actions = fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail");
    actions.is_ok_and(|text| {
        let has = |name| text.split_ascii_whitespace().any(|action| action == name);
        has("errno") && has("kill_process") && architecture().is_some()
    })
}

/// Restricts this thread and its descendants. Returns what receives their calls of `connect`, if they may
/// have Unix sockets.
pub(super) fn restrict(sandbox: &Sandbox) -> Result<Option<Listener>, SeccompError> {
    for program in [&filter(sandbox)?, &foreign_calls()] {
        if !program.is_empty() {
            apply_filter(program)?;
        }
    }
    let install = || Listener::install(libc::SYS_connect as u32);
    Ok(sandbox.may_use_unix_sockets().then(install).transpose()?)
}

/// Fails sockets, calls that name other processes, and [`DENIED`] with `EPERM`. A call of another
/// architecture, whose numbers mean other calls, kills the process; `seccompiler` puts that check first.
fn filter(sandbox: &Sandbox) -> Result<BpfProgram, Error> {
    let arch = architecture().ok_or(seccompiler::BackendError::InvalidTargetArch(
        std::env::consts::ARCH.to_owned(),
    ))?;
    let mut rules: BTreeMap<i64, Vec<Rule>> =
        DENIED.iter().map(|call| (*call, Vec::new())).collect();
    let mut sockets = vec![other_domain(sandbox)?];
    if sandbox.may_use_unix_sockets() {
        let unix = libc::AF_UNIX.unsigned_abs().into();
        let is_unix = Condition::new(0, Len::Dword, Op::Eq, unix)?;
        sockets.extend(unconnected(&[is_unix])?);
    }
    rules.insert(libc::SYS_socket, sockets);
    rules.insert(libc::SYS_socketpair, unconnected(&[])?);
    rules.extend(foreign_processes::rules(sandbox.isolation)?);
    if !NamespaceJob::of(sandbox).has_mounts() {
        rules.extend(SHARED_IPC.iter().map(|call| (*call, Vec::new())));
    }
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refused, arch)?;
    Ok(filter.try_into()?)
}

/// Matches a socket of any domain that is not allowed.
///
/// `AF_UNIX` is only where each `connect` is [judged](super::connector): over such sockets a command
/// could answer its own permission questions at the daemon, start processes outside the sandbox through
/// systemd or Docker, or use an `ssh-agent`. `AF_NETLINK` is needed to list network interfaces. `AF_INET`
/// is refused without the network because Landlock knows TCP only from ABI 4 on, and UDP not at all.
fn other_domain(sandbox: &Sandbox) -> Result<Rule, Error> {
    let mut allowed: Vec<c_int> = vec![libc::AF_NETLINK];
    if sandbox.may_use_sockets() {
        allowed.extend([libc::AF_INET, libc::AF_INET6]);
    }
    if sandbox.may_use_unix_sockets() {
        allowed.push(libc::AF_UNIX);
    }
    let is_other =
        |domain: &c_int| Condition::new(0, Len::Dword, Op::Ne, u64::from(domain.unsigned_abs()));
    let conditions = allowed.iter().map(is_other).collect::<Result<_, _>>()?;
    Ok(Rule::new(conditions)?)
}

/// Match a socket, or a pair, of any type but those that stay connected to their peer, if also the
/// `others` match. A datagram socket can send to any address, such as the daemon's, and a filter sees
/// none: it is behind a pointer. `AF_UNIX` takes `SOCK_RAW` for `SOCK_DGRAM`.
fn unconnected(others: &[Condition]) -> Result<Vec<Rule>, Error> {
    let connected =
        [libc::SOCK_STREAM, libc::SOCK_SEQPACKET].map(|it| u64::from(it.unsigned_abs()));
    // A condition cannot say that masked bits differ, so each of the other values is compared.
    let unconnected = (0..=TYPE_MASK).filter(|value| !connected.contains(value));
    let rule = |value| {
        let is_it = Condition::new(1, Len::Dword, Op::MaskedEq(TYPE_MASK), value)?;
        Ok(Rule::new([others, &[is_it]].concat())?)
    };
    unconnected.map(rule).collect()
}

/// Kills a process that makes an x32 call. Those carry the architecture of x86-64 but numbers with bit
/// 30 set, so that no rule of the other filter would match them.
#[cfg(target_arch = "x86_64")]
fn foreign_calls() -> BpfProgram {
    use seccompiler::sock_filter;

    const X32: u32 = 0x4000_0000;
    const LOAD_WORD: u16 = 0x20;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const RETURN: u16 = 0x06;
    let instruction = |code, jf, k| sock_filter { code, jt: 0, jf, k };
    vec![
        instruction(LOAD_WORD, 0, 0),
        instruction(JUMP_IF_AT_LEAST, 1, X32),
        instruction(RETURN, 0, libc::SECCOMP_RET_KILL_PROCESS),
        instruction(RETURN, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

#[cfg(not(target_arch = "x86_64"))]
fn foreign_calls() -> BpfProgram {
    BpfProgram::new()
}

fn architecture() -> Option<TargetArch> {
    std::env::consts::ARCH.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::Isolation;

    #[test]
    fn filters_compile() {
        let length = |network, isolation| {
            let sandbox = Sandbox {
                network,
                isolation,
                ..Sandbox::default()
            };
            filter(&sandbox).unwrap().len()
        };
        let own = Isolation::default();
        assert!(length(false, own) < length(true, own));
        assert!(length(true, own) < length(true, Isolation::NONE));
        assert!(is_there());
    }
}
