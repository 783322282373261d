//! systemd's user manager.

mod unit_dirs;
mod unit_plan;

use std::fs;
use std::path::Path;

use nix::unistd::{User, getuid};
use scorel_client::DaemonHome;
use scorel_local::{SERVICE_UNIT, SOCKET_UNIT, UnitState};

use unit_dirs::UnitDirs;
use unit_plan::UnitPlan;

use super::home_file::{ServiceFile, make_env};
use super::program::{JOURNALCTL, LOGINCTL, ManagerError, SYSTEMCTL};
use super::report::{Installed, ServiceState, Uninstalled};
use super::unit_file::{UnitSource, present_path};
use super::verbs::ServiceVerbs;
use crate::commands::logs::LogsArgs;
use crate::daemon_lock::DaemonLock;
use crate::failure::Failure;

const DROP_IN: &str = "scoreld.service.d/10-path.conf";

/// The user's own systemd.
#[derive(Debug)]
pub(super) struct Systemd {
    dirs: UnitDirs,
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
            return Err(
                Failure::refused("other_home", message).hint("set HOME to the same directory")
            );
        }
        Ok(Self {
            dirs: UnitDirs::find(user_home)?,
            home,
            source,
        })
    }

    fn plan(&self) -> Result<UnitPlan, Failure> {
        let mut plan = UnitPlan::default();
        for (name, kind) in [
            (SERVICE_UNIT, "systemd-service"),
            (SOCKET_UNIT, "systemd-socket"),
        ] {
            let text = self.source.text(kind)?;
            let path = self.dirs.own(name);
            if self.dirs.system_unit(name).as_ref() == Some(&text) {
                plan.superseded.push(path);
            } else {
                plan.files.push(ServiceFile { path, text });
            }
        }
        if let Some(path) = present_path()? {
            plan.files.push(ServiceFile {
                path: self.dirs.own(DROP_IN),
                text: drop_in(&path),
            });
        }
        Ok(plan)
    }

    /// Starts the service, and its socket if that is enabled. A start after many failed ones is not
    /// refused: the user asks for it.
    fn start_units(&self) -> Result<(), Failure> {
        let (service, socket) = (unit_state(SERVICE_UNIT)?, unit_state(SOCKET_UNIT)?);
        if !service.is_installed() {
            return Err(
                Failure::refused("not_installed", "the service is not installed")
                    .hint("`scorelctl service install` installs it"),
            );
        }
        if service.is_active() {
            return Ok(());
        }
        reload()?;
        // It fails if there is nothing to reset.
        let _nothing: Result<String, ManagerError> = SYSTEMCTL.run(&["reset-failed", SERVICE_UNIT]);
        if socket.is_dead() {
            SYSTEMCTL.run(&["start", SOCKET_UNIT])?;
        }
        SYSTEMCTL.run(&["start", SERVICE_UNIT])?;
        Ok(())
    }
}

impl ServiceVerbs for Systemd {
    fn install(&self) -> Result<Installed, Failure> {
        let (mut changed, removed) = self.plan()?.apply()?;
        let units_changed = !changed.is_empty() || !removed.is_empty();
        if units_changed {
            reload()?;
        }
        changed.extend(make_env(&self.home)?);
        let (service, socket) = (unit_state(SERVICE_UNIT)?, unit_state(SOCKET_UNIT)?);
        if !socket.is_enabled {
            SYSTEMCTL.run(&["enable", SOCKET_UNIT])?;
        }
        let took_over = DaemonLock::new(self.home.daemon_lock()).holder_by_hand(service.pid)?;
        if took_over.is_some() {
            // Now, and not at the next connection: turns that it has parked are to go on.
            self.start_units()?;
        } else if !service.is_active() && !socket.is_active() {
            SYSTEMCTL.run(&["start", SOCKET_UNIT])?;
        }
        Ok(Installed {
            manager: "systemd",
            changed,
            removed,
            enabled: !socket.is_enabled,
            took_over,
            restart_needed: units_changed && service.is_active(),
            // systemd starts no socket of a service that runs.
            socket_dead: service.is_active() && !socket.is_active(),
            lingering: lingering(),
        })
    }

    fn uninstall(&self) -> Result<Uninstalled, Failure> {
        let mut disabled = false;
        for name in [SOCKET_UNIT, SERVICE_UNIT] {
            let state = unit_state(name)?;
            if state.is_installed() {
                disabled |= state.is_enabled || state.is_active();
                SYSTEMCTL.run(&["disable", "--now", name])?;
            }
        }
        let own = [SERVICE_UNIT, SOCKET_UNIT, DROP_IN].map(|name| self.dirs.own(name));
        let removed = ServiceFile::remove_all(own)?;
        if !removed.is_empty() {
            if let Some(dir) = self.dirs.own(DROP_IN).parent() {
                // The user has drop-ins of their own there, or there is no such directory.
                let _not_empty: std::io::Result<()> = fs::remove_dir(dir);
            }
            reload()?;
        }
        Ok(Uninstalled { removed, disabled })
    }

    fn start(&self) -> Result<(), Failure> {
        self.start_units()
    }

    fn stop(&self) -> Result<(), Failure> {
        // The socket too, and first: a client that waits for the daemon would start it again.
        let units = [SOCKET_UNIT, SERVICE_UNIT].map(|name| (name, unit_state(name)));
        for (name, state) in units {
            if state?.is_loaded() {
                SYSTEMCTL.run(&["stop", name])?;
            }
        }
        Ok(())
    }

    fn restart(&self) -> Result<(), Failure> {
        if unit_state(SERVICE_UNIT)?.is_active() {
            reload()?;
            if !unit_state(SOCKET_UNIT)?.is_dead() {
                SYSTEMCTL.run(&["restart", SERVICE_UNIT])?;
                return Ok(());
            }
            // The socket is started first, and that only while the service does not run.
            SYSTEMCTL.run(&["stop", SERVICE_UNIT])?;
        }
        self.start_units()
    }

    fn state(&self) -> Result<ServiceState, Failure> {
        let (service, socket) = (unit_state(SERVICE_UNIT)?, unit_state(SOCKET_UNIT)?);
        Ok(ServiceState {
            manager: "systemd",
            installed: service.is_installed(),
            enabled: service.is_enabled || socket.is_enabled,
            current: self.plan()?.is_applied(),
            by_hand: DaemonLock::new(self.home.daemon_lock()).holder_by_hand(service.pid)?,
            pid: service.pid,
            service: service.describe(),
            socket: socket.is_installed().then(|| socket.describe()),
            lingering: lingering(),
        })
    }

    fn logs(&self, args: &LogsArgs, json: bool) -> Failure {
        let lines = args.lines.to_string();
        let mut arguments = vec!["--unit", SERVICE_UNIT, "--lines", &lines];
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
    Failure::refused(
        "no_manager",
        format!("no service manager that could run the daemon is reachable: {error}"),
    )
    .hint(
        "`scoreld --daemonize` runs the daemon in the background without one; in a shell of `su` or cron, \
         set XDG_RUNTIME_DIR=/run/user/UID",
    )
}

fn unit_state(unit: &str) -> Result<UnitState, Failure> {
    Ok(UnitState::parse(
        &SYSTEMCTL.run(&UnitState::shown_by(unit))?,
    ))
}

/// Has the manager read its units again: a package changes them and tells no user's manager.
fn reload() -> Result<(), ManagerError> {
    SYSTEMCTL.run(&["daemon-reload"])?;
    Ok(())
}

/// Returns whether the user's services go on after the last logout.
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
