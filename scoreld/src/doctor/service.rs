//! Checks of the service manager's units, which are for the default home only.

use std::process::{Command, Stdio};

use super::check::Check;

const NAME: &str = "service";

const SOCKET: &str = "scoreld.socket";

/// The unit whose socket starts the daemon, and that of the daemon. `None` if they are not installed, or no
/// service manager can be asked.
pub(super) fn check() -> Option<Check> {
    let socket = UnitState::of(SOCKET)?;
    let units = [&socket, &UnitState::of("scoreld.service")?];
    let Some(dead) = units.into_iter().find(|unit| unit.is_dead()) else {
        return Some(Check::ok(
            NAME,
            format!("{} is {}", socket.name, socket.active),
        ));
    };
    let message = format!(
        "{} is {}: it does not start the daemon",
        dead.name, dead.active
    );
    let name = dead.name;
    Some(Check::warn(NAME, message).hint(format!(
        "`scorelctl service restart` starts it; `systemctl --user status {name}` says why it ended"
    )))
}

/// The state of a unit that is installed, as systemd tells it.
struct UnitState {
    name: &'static str,
    is_enabled: bool,
    active: String,
}

impl UnitState {
    fn of(name: &'static str) -> Option<Self> {
        let shown = Command::new("systemctl")
            .args([
                "--user",
                "show",
                "--property=LoadState,UnitFileState,ActiveState",
                name,
            ])
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        let text = String::from_utf8(shown.ok()?.stdout).ok()?;
        let property = |name: &str| text.lines().find_map(|it| it.strip_prefix(name));
        (property("LoadState=") == Some("loaded")).then(|| Self {
            name,
            is_enabled: property("UnitFileState=") == Some("enabled"),
            active: property("ActiveState=").unwrap_or_default().to_owned(),
        })
    }

    /// A failed unit, or a socket that belongs to every login and is not active. A service that is not active
    /// is started by its socket.
    fn is_dead(&self) -> bool {
        let is_socket = self.name == SOCKET;
        self.active == "failed" || (is_socket && self.is_enabled && self.active == "inactive")
    }
}
