//! System calls that name a process other than the caller.
//!
//! In a pid namespace of its own a command has no name for other processes. Some calls are refused there
//! as well, since no program needs them. Without the namespace the filter sees only process ids and
//! cannot tell whose they are, so it allows only 0, the caller itself.

use std::collections::BTreeMap;

use nix::libc::{self, c_int, c_long};
use seccompiler::{
    Error, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition as Condition,
    SeccompRule as Rule,
};

use crate::sandbox::Isolation;

type Rules = BTreeMap<c_long, Vec<Rule>>;

/// Calls that read, compare or change another process by its nature.
const REFUSED: &[c_long] = &[
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
];

/// Calls whose first argument is a process id, used with 0 by programs.
const ITSELF_ONLY: &[c_long] = &[
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_prlimit64,
];

/// The same, but programs use them for their threads by number, too, and debuggers for what they
/// started.
const ITSELF_ONLY_IF_SHARED: &[c_long] = &[
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
];

/// libc's has another type on each C library.
const PRIO_PROCESS: c_int = 0;

/// libc does not have it.
const IOPRIO_WHO_PROCESS: c_int = 1;

/// The calls to refuse.
pub(super) fn rules(isolation: Isolation) -> Result<Rules, Error> {
    let mut rules: Rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    for call in ITSELF_ONLY {
        rules.insert(*call, vec![unless(0, 0)?]);
    }
    if isolation.processes {
        return Ok(rules);
    }
    for call in ITSELF_ONLY_IF_SHARED {
        rules.insert(*call, vec![unless(0, 0)?]);
    }
    // These also name process groups and users.
    let whole = |kind| -> Result<_, Error> { Ok(vec![unless(0, kind)?, unless(1, 0)?]) };
    rules.insert(libc::SYS_setpriority, whole(PRIO_PROCESS)?);
    rules.insert(libc::SYS_ioprio_set, whole(IOPRIO_WHO_PROCESS)?);
    Ok(rules)
}

/// Matches unless the argument has this value.
fn unless(argument: u8, value: c_int) -> Result<Rule, Error> {
    let value = u64::from(value.unsigned_abs());
    let is_other = Condition::new(argument, Len::Dword, Op::Ne, value)?;
    Ok(Rule::new(vec![is_other])?)
}
