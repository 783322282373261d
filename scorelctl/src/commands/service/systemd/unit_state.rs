use crate::commands::service::program::SYSTEMCTL;
use crate::failure::Failure;

/// The state of a unit, as systemd reports it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct UnitState {
    pub(super) is_installed: bool,
    pub(super) is_enabled: bool,
    active: String,
    sub: String,
    pub(super) pid: Option<u32>,
}

impl UnitState {
    pub(super) fn of(unit: &str) -> Result<Self, Failure> {
        let properties = "--property=LoadState,UnitFileState,ActiveState,SubState,MainPID";
        Ok(Self::parse(&SYSTEMCTL.run(&["show", properties, unit])?))
    }

    /// Reads lines `NAME=value`, as `systemctl show` prints them.
    fn parse(text: &str) -> Self {
        let mut state = Self::default();
        for (name, value) in text.lines().filter_map(|line| line.split_once('=')) {
            match name {
                "LoadState" => state.is_installed = value != "not-found",
                "UnitFileState" => state.is_enabled = value == "enabled",
                "ActiveState" => value.clone_into(&mut state.active),
                "SubState" => value.clone_into(&mut state.sub),
                "MainPID" => state.pid = value.parse().ok().filter(|pid| *pid != 0),
                _ => {}
            }
        }
        state
    }

    pub(super) fn is_active(&self) -> bool {
        matches!(&*self.active, "active" | "activating" | "reloading")
    }

    /// Set if it belongs to every login and is not active.
    pub(super) fn is_dead(&self) -> bool {
        self.is_enabled && !self.is_active()
    }

    /// Returns whether there is something to stop.
    pub(super) fn is_loaded(&self) -> bool {
        self.is_installed || self.active != "inactive"
    }

    pub(super) fn describe(&self) -> String {
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
        assert!(running.is_installed && running.is_enabled && running.is_active());
        assert!(!running.is_dead());
        let stopped = UnitState::parse("ActiveState=inactive\nUnitFileState=enabled");
        assert!(stopped.is_dead());
        assert_eq!(running.pid, Some(42));
        assert_eq!(running.describe(), "active (running)");
        let missing = UnitState::parse(
            "MainPID=0\nLoadState=not-found\nActiveState=inactive\nSubState=dead\nUnitFileState=",
        );
        assert!(!missing.is_installed && !missing.is_enabled && !missing.is_active());
        assert!(!missing.is_loaded());
        assert_eq!(missing.pid, None);
    }
}
