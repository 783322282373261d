//! Unix sockets that the sandbox may have denied.

use std::os::unix::fs::FileTypeExt as _;
use std::path::{Path, PathBuf};

use super::denial::Denial;
use super::facts::SandboxFacts;
use super::line::Line;

/// What programs say of a server that they cannot speak to.
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

/// What names a Unix socket where its path does not.
const NAMES: [&str; 4] = ["af_unix", "dial unix", "connecting to agent", "unix socket"];

/// Where the system's services are spoken to.
const BUS: &str = "/run/dbus/system_bus_socket";

pub(super) fn denied(facts: &SandboxFacts, line: &Line<'_>) -> Option<Denial> {
    if line.has(&FAILURES) {
        // No command in the sandbox reaches a socket, so that there is one says enough.
        let mut paths = line.paths().into_iter();
        if let Some(path) = paths.find(|path| is_socket(path)) {
            return Some(Denial::socket(facts, Some(path)));
        }
    }
    if line.has(&["connect to bus", "connect to system scope bus"]) {
        let bus = is_socket(Path::new(BUS)).then(|| PathBuf::from(BUS))?;
        return Some(Denial::socket(facts, Some(bus)));
    }
    let is_named = || {
        let mut before = line.before(4).map(str::to_lowercase);
        line.has(&NAMES) || before.any(|line| line.contains("af_unix"))
    };
    (line.says_not_permitted() && is_named()).then(|| Denial::socket(facts, None))
}

fn is_socket(path: &Path) -> bool {
    let metadata = path.metadata();
    path.is_absolute() && metadata.is_ok_and(|metadata| metadata.file_type().is_socket())
}
