//! Parts of the reply to `getStatus`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What started the daemon, and starts it again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DaemonManager {
    /// systemd, or a manager that speaks its protocol.
    Systemd,
    /// launchd (macOS).
    Launchd,
    /// A client or a user started it; nothing starts it again.
    #[default]
    None,
}

impl DaemonManager {
    /// The value on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Systemd => "systemd",
            Self::Launchd => "launchd",
            Self::None => "none",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manager_has_its_name_on_the_wire() {
        for manager in [
            DaemonManager::Systemd,
            DaemonManager::Launchd,
            DaemonManager::None,
        ] {
            assert_eq!(serde_json::to_value(manager).unwrap(), manager.name());
        }
    }
}
