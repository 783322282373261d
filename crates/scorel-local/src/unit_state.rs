/// The unit of the daemon.
pub const SERVICE_UNIT: &str = "scoreld.service";
/// The unit of its socket, by which systemd starts it.
pub const SOCKET_UNIT: &str = "scoreld.socket";

/// The state of a unit, as systemd reports it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnitState {
    /// `loaded`, `not-found` or why there is no usable unit; empty if systemd does not say.
    pub load: String,
    pub is_enabled: bool,
    pub active: String,
    sub: String,
    pub pid: Option<u32>,
}

impl UnitState {
    /// The arguments with which `systemctl` shows what [`UnitState::parse`] reads.
    pub const fn shown_by(unit: &str) -> [&str; 3] {
        let properties = "--property=LoadState,UnitFileState,ActiveState,SubState,MainPID";
        ["show", properties, unit]
    }

    /// Reads lines `NAME=value`, as `systemctl show` prints them.
    pub fn parse(text: &str) -> Self {
        let mut state = Self::default();
        for (name, value) in text.lines().filter_map(|line| line.split_once('=')) {
            match name {
                "LoadState" => value.clone_into(&mut state.load),
                "UnitFileState" => state.is_enabled = value == "enabled",
                "ActiveState" => value.clone_into(&mut state.active),
                "SubState" => value.clone_into(&mut state.sub),
                "MainPID" => state.pid = value.parse().ok().filter(|pid| *pid != 0),
                _ => {}
            }
        }
        state
    }

    pub fn is_installed(&self) -> bool {
        !matches!(&*self.load, "" | "not-found")
    }

    pub fn is_active(&self) -> bool {
        matches!(&*self.active, "active" | "activating" | "reloading")
    }

    /// Set if it belongs to every login and is not active.
    pub fn is_dead(&self) -> bool {
        self.is_enabled && !self.is_active()
    }

    /// Returns whether there is something to stop.
    pub fn is_loaded(&self) -> bool {
        self.is_installed() || self.active != "inactive"
    }

    pub fn describe(&self) -> String {
        format!("{} ({})", self.active, self.sub)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_properties_of_a_unit_are_read() {
        let running = UnitState::parse(
            "MainPID=42\nLoadState=loaded\nActiveState=active\nSubState=running\nUnitFileState=enabled",
        );
        assert!(running.is_installed() && running.is_enabled && running.is_active());
        assert!(!running.is_dead());
        let stopped = UnitState::parse("ActiveState=inactive\nUnitFileState=enabled");
        assert!(stopped.is_dead());
        assert_eq!(running.pid, Some(42));
        assert_eq!(running.describe(), "active (running)");
        let missing = UnitState::parse(
            "MainPID=0\nLoadState=not-found\nActiveState=inactive\nSubState=dead\nUnitFileState=",
        );
        assert!(!missing.is_installed() && !missing.is_enabled && !missing.is_active());
        assert!(!missing.is_loaded());
        assert_eq!(missing.pid, None);
    }
}
