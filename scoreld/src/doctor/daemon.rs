//! Checks of the socket and of the daemon behind it, if one runs.

use std::io;
use std::path::Path;
use std::time::Duration;

use scorel_client::ClientError;
use scorel_local::socket_path;
use scorel_proto::{ErrorChain, GetStatus, NoParams};

use super::check::Check;
use crate::daemon_call::DaemonCall;

/// Read and write timeout of the status call.
const STATUS_TIMEOUT: Duration = Duration::from_secs(5);

const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");

pub(super) fn checks(
    root: &Path,
    runtime_dir: Option<&Path>,
    client_version: Option<&str>,
) -> Vec<Check> {
    let mut checks = Vec::new();
    match socket_path(root, runtime_dir) {
        Err(error) => checks.push(Check::fail("socket", error.to_string())),
        Ok(path) => {
            checks.push(Check::ok("socket", path.display().to_string()));
            checks.push(daemon(&path));
        }
    }
    if let Some(client) = client_version.filter(|client| *client != OWN_VERSION) {
        let message = format!("scorelctl is {client} and scoreld is {OWN_VERSION}");
        checks.push(Check::warn("versions", message).hint("install both from one release"));
    }
    checks
}

fn daemon(socket: &Path) -> Check {
    const NAME: &str = "daemon";
    let asked = DaemonCall::connect(socket, STATUS_TIMEOUT)
        .and_then(|daemon| daemon.call::<GetStatus>(&NoParams {}));
    let status = match asked {
        Ok(status) => status,
        Err(ClientError::Unreachable { source, .. }) => {
            return match source.kind() {
                io::ErrorKind::NotFound => {
                    Check::ok(NAME, "none runs; the first command starts it")
                }
                io::ErrorKind::ConnectionRefused => {
                    let message = "none runs, and the socket is dead: its daemon was killed";
                    Check::warn(NAME, message).hint(
                        "the next command starts a daemon, which replaces the socket; so does `scorelctl \
                         restart`",
                    )
                }
                _ => Check::fail(NAME, format!("cannot connect to the socket: {source}")),
            };
        }
        Err(error) => {
            let error = ErrorChain(&error);
            return Check::fail(
                NAME,
                format!("the socket accepts connections but does not answer: {error}"),
            )
            .hint("see `logs/` in the home; `scorelctl stop` stops it");
        }
    };
    let running = format!("scoreld {} runs as process {}", status.version, status.pid);
    if status.version != OWN_VERSION {
        let message = format!("{running}, but this program is {OWN_VERSION}");
        return Check::warn(NAME, message)
            .hint("run `scorelctl stop`; the next command starts this version");
    }
    match status.config_problem {
        Some(problem) => {
            Check::warn(NAME, format!("{running} with its previous configuration")).hint(problem)
        }
        None if status.draining => Check::warn(NAME, format!("{running} and is stopping")),
        None => Check::ok(NAME, running),
    }
}
