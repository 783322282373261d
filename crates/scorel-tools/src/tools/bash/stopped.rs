//! Whether the sandbox made a command fail, as far as that can be told afterwards.
//!
//! The sandbox denies by error numbers, which a program puts into words of its own and which have other
//! causes too. So what a line of the output suggests is compared with what the sandbox is known to deny:
//! a path that the command may not change but the user may, a socket that exists, a port where a server
//! listens. Where nothing can be compared, only messages count that can hardly mean anything else.

mod denial;
mod facts;
mod files;
mod line;
mod network;
mod sockets;
#[cfg(test)]
mod tests;

use scorel_exec::ShellExit;

pub(super) use denial::Denial;
pub(super) use facts::SandboxFacts;

use denial::Denied;
use line::Line;

/// The number of lines, from the end of the output, that are searched.
const LINES: usize = 60;

/// `SIGSYS` ends a process that makes a system call of another architecture.
const SIGSYS: i32 = 31;

/// The names by which programs report the system calls that the sandbox refuses.
const REFUSED_CALLS: [&str; 8] = [
    "bpf(",
    "io_uring",
    "keyctl",
    "open_by_handle_at",
    "perf_event_open",
    "prlimit",
    "request_key",
    "userfaultfd",
];

/// The error number of a system call that is refused, as Rust writes it, without naming the call.
const OF_RUST: [&str; 2] = ["os { code: 1,", "(os error 1)"];

/// The things that the sandbox may have denied to a command that ended like this with this output.
pub(super) fn find(facts: &SandboxFacts, exit: ShellExit, output: &str) -> Option<Denial> {
    let code = match exit {
        ShellExit::Code(0) => return None,
        ShellExit::Code(code) => code,
        ShellExit::Signal(SIGSYS) => return Some(Denial::new(facts, Denied::SystemCall, None)),
        ShellExit::Signal(_) => return None,
    };
    let mut lines: Vec<&str> = output.lines().rev().take(LINES).collect();
    lines.reverse();
    (0..lines.len()).rev().find_map(|index| {
        let line = Line::new(&lines, index);
        let denied = sockets::denied(facts, &line)
            .or_else(|| network::denied(facts, &line))
            .or_else(|| files::denied(facts, &line, code))
            .or_else(|| {
                let is_refused =
                    line.says_not_permitted() && (line.has(&REFUSED_CALLS) || line.has(&OF_RUST));
                is_refused.then_some(Denied::SystemCall)
            })?;
        Some(Denial::new(facts, denied, Some(line.text)))
    })
}
