//! systemd's user manager.

mod unit_state;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use nix::unistd::{User, getuid};
use scorel_client::DaemonHome;

use unit_state::UnitState;

use super::by_hand::started_by_hand;
use super::home_file::{ServiceFile, make_env};
use super::program::{JOURNALCTL, LOGINCTL, ManagerError, SYSTEMCTL};
use super::refusal::refused;
use super::report::{Installed, ServiceState, Uninstalled};
use super::unit_file::{UnitSource, present_path};
use super::verbs::ServiceVerbs;
use crate::args::LogsArgs;
use crate::failure::Failure;

const SERVICE: &str = "scoreld.service";
const SOCKET: &str = "scoreld.socket";
const DROP_IN: &str = "scoreld.service.d/10-path.conf";

/// The user's own systemd.
#[derive(Debug)]
pub(super) struct Systemd {
    /// The directory of the user's units.
    units: PathBuf,
    home: DaemonHome,
    source: UnitSource,
}

impl Systemd {
    /// Finds out whether a user manager runs, and whether it is for the same home.
    pub(super) fn find(
        user_home: &Path,
        home: DaemonHome,
        source: UnitSource,
    ) -> Result<Self, Failure> {
        let environment = SYSTEMCTL
            .run(&["show-environment"])
            .map_err(|error| no_manager(&error))?;
        let manager_home = environment
            .lines()
            .find_map(|line| line.strip_prefix("HOME="));
        if let Some(other) = manager_home.filter(|other| Path::new(other) != user_home) {
            let message = format!(
                "the service manager's home directory is {other}, and here HOME is {}",
                user_home.display()
            );
            return Err(refused("other_home", message).hint("set HOME to the same directory"));
        }
        Ok(Self {
            units: units_dir(user_home)?,
            home,
            source,
        })
    }

    /// What `install` writes.
    fn files(&self) -> Result<Vec<ServiceFile>, Failure> {
        let file = |name: &str, text| ServiceFile {
            path: self.units.join(name),
            text,
        };
        let mut files = vec![
            file(SERVICE, self.source.text("systemd-service")?),
            file(SOCKET, self.source.text("systemd-socket")?),
        ];
        if let Some(path) = present_path()? {
            files.push(file(DROP_IN, drop_in(&path)));
        }
        Ok(files)
    }

    /// Starts the service, and its socket if that is enabled. A start after many failed ones is not
    /// refused: the user asks for it.
    fn start_units(&self) -> Result<(), Failure> {
        let (service, socket) = (UnitState::of(SERVICE)?, UnitState::of(SOCKET)?);
        if !service.is_installed {
            return Err(refused("not_installed", "the service is not installed")
                .hint("`scorelctl service install` installs it"));
        }
        if service.is_active() {
            return Ok(());
        }
        // It fails if there is nothing to reset.
        let _nothing: Result<String, ManagerError> = SYSTEMCTL.run(&["reset-failed", SERVICE]);
        if socket.is_enabled && !socket.is_active() {
            SYSTEMCTL.run(&["start", SOCKET])?;
        }
        SYSTEMCTL.run(&["start", SERVICE])?;
        Ok(())
    }
}

impl ServiceVerbs for Systemd {
    fn install(&self) -> Result<Installed, Failure> {
        let mut changed = Vec::new();
        for file in self.files()? {
            if file.put()? {
                changed.push(file.path);
            }
        }
        if !changed.is_empty() {
            SYSTEMCTL.run(&["daemon-reload"])?;
        }
        let units_changed = !changed.is_empty();
        changed.extend(make_env(&self.home)?);
        let (service, socket) = (UnitState::of(SERVICE)?, UnitState::of(SOCKET)?);
        if !socket.is_enabled {
            SYSTEMCTL.run(&["enable", SOCKET])?;
        }
        let took_over = started_by_hand(&self.home, service.pid)?;
        if took_over.is_some() {
            // Now, and not at the next connection: turns that it has parked are to go on.
            self.start_units()?;
        } else if !service.is_active() && !socket.is_active() {
            SYSTEMCTL.run(&["start", SOCKET])?;
        }
        Ok(Installed {
            manager: "systemd",
            changed,
            enabled: !socket.is_enabled,
            took_over,
            restart_needed: units_changed && service.is_active(),
            lingering: lingering(),
        })
    }

    fn uninstall(&self) -> Result<Uninstalled, Failure> {
        let installed: Vec<_> = [SERVICE, SOCKET]
            .into_iter()
            .filter(|name| self.units.join(name).exists())
            .collect();
        if !installed.is_empty() {
            let mut arguments = vec!["disable", "--now"];
            arguments.extend(installed);
            SYSTEMCTL.run(&arguments)?;
        }
        let mut removed = Vec::new();
        for name in [SERVICE, SOCKET, DROP_IN] {
            let path = self.units.join(name);
            if ServiceFile::remove(&path)? {
                removed.push(path);
            }
        }
        if !removed.is_empty() {
            if let Some(dir) = self.units.join(DROP_IN).parent() {
                // The user has drop-ins of their own there, or there is no such directory.
                let _not_empty: std::io::Result<()> = fs::remove_dir(dir);
            }
            SYSTEMCTL.run(&["daemon-reload"])?;
        }
        Ok(Uninstalled { removed })
    }

    fn start(&self) -> Result<(), Failure> {
        self.start_units()
    }

    fn stop(&self) -> Result<(), Failure> {
        // The socket too, and first: a client that waits for the daemon would start it again.
        let units = [SOCKET, SERVICE].map(|name| (name, UnitState::of(name)));
        for (name, state) in units {
            if state?.is_loaded() {
                SYSTEMCTL.run(&["stop", name])?;
            }
        }
        Ok(())
    }

    fn restart(&self) -> Result<(), Failure> {
        if UnitState::of(SERVICE)?.is_active() {
            SYSTEMCTL.run(&["restart", SERVICE])?;
            return Ok(());
        }
        self.start_units()
    }

    fn state(&self) -> Result<ServiceState, Failure> {
        let (service, socket) = (UnitState::of(SERVICE)?, UnitState::of(SOCKET)?);
        Ok(ServiceState {
            manager: "systemd",
            installed: service.is_installed,
            current: self.files()?.iter().all(ServiceFile::is_there),
            by_hand: started_by_hand(&self.home, service.pid)?,
            pid: service.pid,
            service: service.describe(),
            socket: socket.is_installed.then(|| socket.describe()),
            lingering: lingering(),
        })
    }

    fn logs(&self, args: &LogsArgs, json: bool) -> Failure {
        let lines = args.lines.to_string();
        let mut arguments = vec!["--unit", SERVICE, "--lines", &lines];
        if args.follow {
            arguments.push("--follow");
        }
        if json {
            arguments.extend(["--output", "json"]);
        }
        JOURNALCTL.replace(&arguments)
    }
}

fn no_manager(error: &ManagerError) -> Failure {
    refused(
        "no_manager",
        format!("no service manager that could run the daemon is reachable: {error}"),
    )
    .hint(
        "`scoreld --daemonize` runs the daemon in the background without one; in a shell of `su` or cron, \
         set XDG_RUNTIME_DIR=/run/user/UID",
    )
}

/// The directory of the user's units, among those that the manager reads.
fn units_dir(user_home: &Path) -> Result<PathBuf, Failure> {
    let read = SYSTEMCTL.run(&["show", "--property", "UnitPath", "--value"])?;
    let config = env::var_os("XDG_CONFIG_HOME").filter(|dir| !dir.is_empty());
    let candidates = [config.map(PathBuf::from), Some(user_home.join(".config"))];
    let mut dirs = candidates
        .into_iter()
        .flatten()
        .map(|dir| dir.join("systemd/user"));
    let found = dirs.find(|dir| dir.to_str().is_some_and(|dir| read.contains(dir)));
    found.ok_or_else(|| {
        let message = format!("the service manager reads no units in ~/.config; it reads {read}");
        refused("no_unit", message)
    })
}

/// Whether the user's services go on after the last logout.
fn lingering() -> Option<bool> {
    let user = User::from_uid(getuid()).ok()??;
    let arguments = ["show-user", &user.name, "--property", "Linger", "--value"];
    match &*LOGINCTL.run(&arguments).ok()? {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

/// The drop-in with the `PATH` of the service. In quotes `\`, `"` and `%` have a meaning.
fn drop_in(path: &str) -> String {
    let path = path
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('%', "%%");
    format!(
        "# The PATH of the shell in which `scorelctl service install` was run.\n\
         [Service]\nEnvironment=\"PATH={path}\"\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_meaning_in_a_unit_is_escaped() {
        let text = drop_in(r#"/a b:/100%:/c"d\e:/$HOME"#);
        let line = text.lines().last().expect("a line");
        assert_eq!(line, r#"Environment="PATH=/a b:/100%%:/c\"d\\e:/$HOME""#);
    }
}
