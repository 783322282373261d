//! Which system calls a command may make.

use std::collections::BTreeMap;
use std::fs;

use nix::libc::{self, c_int, c_long};
use seccompiler::{
    BpfProgram, Error, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op,
    SeccompCondition as Condition, SeccompFilter, SeccompRule as Rule, TargetArch, apply_filter,
};

/// The part of a socket's type that is not flags.
const TYPE_MASK: u64 = 0xf;

/// Calls that no command of a build needs, and that would lead around the other restrictions.
const DENIED: &[c_long] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_open_by_handle_at,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
];

/// Whether the kernel filters system calls as it is needed here.
pub(crate) fn is_there() -> bool {
    let actions = fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail");
    actions.is_ok_and(|text| {
        let has = |name| text.split_ascii_whitespace().any(|action| action == name);
        has("errno") && has("kill_process") && architecture().is_some()
    })
}

/// Restricts this thread and everything that it becomes and starts.
pub(super) fn restrict(network: bool) -> Result<(), Error> {
    for program in [&filter(network)?, &foreign_calls()] {
        if !program.is_empty() {
            apply_filter(program)?;
        }
    }
    Ok(())
}

/// Refuses sockets and [`DENIED`]; a call of another architecture ends the process.
fn filter(network: bool) -> Result<BpfProgram, Error> {
    let arch = architecture().ok_or(seccompiler::BackendError::InvalidTargetArch(
        std::env::consts::ARCH.to_owned(),
    ))?;
    let mut rules: BTreeMap<i64, Vec<Rule>> =
        DENIED.iter().map(|call| (*call, Vec::new())).collect();
    rules.insert(libc::SYS_socket, vec![other_domain(network)?]);
    rules.insert(libc::SYS_socketpair, vec![datagram_pair()?]);
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refused, arch)?;
    Ok(filter.try_into()?)
}

/// A socket for anything but what is allowed: the kernel's own information always, the internet
/// with the network. Unix sockets never: they lead to the daemon, to service managers, to agents.
fn other_domain(network: bool) -> Result<Rule, Error> {
    let allowed: &[c_int] = if network {
        &[libc::AF_NETLINK, libc::AF_INET, libc::AF_INET6]
    } else {
        &[libc::AF_NETLINK]
    };
    let is_other =
        |domain: &c_int| Condition::new(0, Len::Dword, Op::Ne, u64::from(domain.unsigned_abs()));
    let conditions = allowed.iter().map(is_other).collect::<Result<_, _>>()?;
    Ok(Rule::new(conditions)?)
}

/// A pair of datagram sockets: unlike a pair of streams it can be connected to another address.
fn datagram_pair() -> Result<Rule, Error> {
    let datagram = u64::from(libc::SOCK_DGRAM.unsigned_abs());
    let is_datagram = Condition::new(1, Len::Dword, Op::MaskedEq(TYPE_MASK), datagram)?;
    Ok(Rule::new(vec![is_datagram])?)
}

/// Ends a process that makes a call of the x32 kind. These have the same architecture as the
/// others and numbers of their own, so that no rule above would see them.
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

    #[test]
    fn the_filters_can_be_made() {
        assert!(!filter(true).unwrap().is_empty());
        assert!(filter(false).unwrap().len() < filter(true).unwrap().len());
        assert!(is_there());
    }
}
