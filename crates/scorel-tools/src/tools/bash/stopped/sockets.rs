//! Unix sockets that the sandbox may have denied.

use std::fs;
use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use super::denial::Denied;
use super::facts::SandboxFacts;
use super::line::{Line, NEAR, paths_in};

/// The messages of programs about a server that they cannot reach.
const FAILURES: [&str; 10] = [
    "can't connect",
    "cannot connect",
    "could not",
    "couldn't connect",
    "denied",
    "error",
    "failed",
    "not permitted",
    "refused",
    "unable to",
];

/// The names of Unix sockets in messages without a path.
const NAMES: [&str; 4] = ["af_unix", "dial unix", "connecting to agent", "unix socket"];

/// Where the system's services are spoken to.
const BUS: &str = "/run/dbus/system_bus_socket";

pub(super) fn denied(facts: &SandboxFacts, line: &Line<'_>) -> Option<Denied> {
    if line.has(&FAILURES) {
        // Where sockets of the session's own may be, its server may have refused.
        let is_denied = |path: &PathBuf| !facts.may_reach(path) || is_served(path);
        // A traceback names it in a line of code.
        let is_of_system = line.says_denied() || line.says_not_permitted();
        let near = line.before(if is_of_system { NEAR } else { 0 });
        let mut paths = line.paths().into_iter().chain(near.flat_map(paths_in));
        if let Some(path) = paths.find(|path| is_socket(path) && is_denied(path)) {
            return Some(Denied::Socket { path: Some(path) });
        }
    }
    if line.has(&["connect to bus", "connect to system scope bus"]) {
        let bus = is_socket(Path::new(BUS)).then(|| PathBuf::from(BUS))?;
        return Some(Denied::Socket { path: Some(bus) });
    }
    if line.says_not_permitted() && line.has_word(&["bind", "connect", "connecting", "listen"]) {
        let mut paths = line.paths().into_iter();
        if let Some(path) = paths.find(|path| path.is_absolute()) {
            return Some(Denied::Socket { path: Some(path) });
        }
    }
    let is_named = || {
        let mut before = line.before(4).map(str::to_lowercase);
        line.has(&NAMES) || before.any(|line| line.contains("af_unix"))
    };
    (line.says_not_permitted() && is_named()).then_some(Denied::Socket { path: None })
}

fn is_socket(path: &Path) -> bool {
    let metadata = path.metadata();
    path.is_absolute() && metadata.is_ok_and(|metadata| metadata.file_type().is_socket())
}

/// Returns whether a server outside the sandbox listens at this path.
fn is_served(path: &Path) -> bool {
    let table = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    table.lines().any(|line| {
        let mut fields = line.split_whitespace();
        // The flag `__SO_ACCEPTCON` of the kernel.
        let listens = fields.nth(3) == Some("00010000");
        // Bound from another directory, it has a relative path.
        let bound = fields.nth(3).map(|bound| bound.trim_start_matches("./"));
        listens && bound.is_some_and(|bound| path.ends_with(bound))
    })
}
