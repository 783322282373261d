//! Checks of the service manager's units, which are for the default home only.

use std::process::{Command, Stdio};

use scorel_local::{SERVICE_UNIT, SOCKET_UNIT, UnitState};

use super::check::Check;

const NAME: &str = "service";

/// The unit whose socket starts the daemon, and that of the daemon. `None` if they are not installed, or no
/// service manager can be asked.
pub(super) fn check() -> Option<Check> {
    let socket = loaded(SOCKET_UNIT)?;
    let units = [
        (SOCKET_UNIT, &socket),
        (SERVICE_UNIT, &loaded(SERVICE_UNIT)?),
    ];
    let Some((name, dead)) = units.into_iter().find(|(name, unit)| is_dead(name, unit)) else {
        let active = &socket.active;
        return Some(Check::ok(NAME, format!("{SOCKET_UNIT} is {active}")));
    };
    let active = &dead.active;
    let message = format!("{name} is {active}: it does not start the daemon");
    Some(Check::warn(NAME, message).hint(format!(
        "`scorelctl service restart` starts it; `systemctl --user status {name}` says why it ended"
    )))
}

/// The state of a unit that is installed, as systemd tells it.
fn loaded(name: &str) -> Option<UnitState> {
    let shown = Command::new("systemctl")
        .arg("--user")
        .args(UnitState::shown_by(name))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let text = String::from_utf8(shown.ok()?.stdout).ok()?;
    Some(UnitState::parse(&text)).filter(|unit| unit.load == "loaded")
}

/// A failed unit, or a socket that belongs to every login and is not active. A service that is not active
/// is started by its socket.
fn is_dead(name: &str, unit: &UnitState) -> bool {
    let is_socket = name == SOCKET_UNIT;
    unit.active == "failed" || (is_socket && unit.is_enabled && unit.active == "inactive")
}
