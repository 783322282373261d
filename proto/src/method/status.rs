//! Parts of the reply to `getStatus`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::named::named;
use crate::{ClientId, ConfigProblem, Phase, SessionId};

named! {
    /// The program that started the daemon, and starts it again.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum DaemonManager {
        /// systemd, or a manager that speaks its protocol.
        Systemd = "systemd",
        /// launchd (macOS).
        Launchd = "launchd",
        /// A client or a user started it; nothing starts it again.
        #[default]
        None = "none",
    }
}

/// The number of loaded sessions in each phase. A session that is not loaded is idle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionsByPhase {
    /// In the phase `idle`.
    pub idle: u32,
    /// In the phase `preparing`.
    pub preparing: u32,
    /// In the phase `running`.
    pub running: u32,
    /// In the phase `awaiting_permission`.
    pub awaiting_permission: u32,
    /// In the phase `waiting`.
    pub waiting: u32,
    /// In the phase `cancelling`.
    pub cancelling: u32,
    /// In the phase `failed`.
    pub failed: u32,
}

impl SessionsByPhase {
    /// Counts a session.
    pub const fn add(&mut self, phase: Phase) {
        let count = match phase {
            Phase::Idle => &mut self.idle,
            Phase::Preparing => &mut self.preparing,
            Phase::Running => &mut self.running,
            Phase::AwaitingPermission => &mut self.awaiting_permission,
            Phase::Waiting => &mut self.waiting,
            Phase::Cancelling => &mut self.cancelling,
            Phase::Failed => &mut self.failed,
        };
        *count = count.saturating_add(1);
    }

    /// Each phase by its name on the wire, with its number of sessions.
    pub const fn counts(&self) -> [(&'static str, u32); 7] {
        [
            ("idle", self.idle),
            ("preparing", self.preparing),
            ("running", self.running),
            ("awaiting_permission", self.awaiting_permission),
            ("waiting", self.waiting),
            ("cancelling", self.cancelling),
            ("failed", self.failed),
        ]
    }
}

/// A subscription to a session's events.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubscriberStatus {
    /// The client, as it named itself in `hello`; absent if it did not.
    pub client_id: Option<ClientId>,
    /// The session that it follows.
    pub session_id: SessionId,
    /// The number of the session's sequence numbers by which it is behind. Sequence numbers have gaps, so there
    /// may be fewer events.
    pub lag_events: u64,
}

/// The disk under the daemon's home directory.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StorageStatus {
    /// The number of bytes that the user can still write; absent if it cannot be found out.
    pub free_bytes: Option<u64>,
    /// The number of loaded sessions whose logs cannot be written now.
    pub stalled_sessions: u32,
}

/// The search index.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SearchStatus {
    /// True if the index was compared with the logs since the daemon started. Until then it is not known how
    /// far it is behind.
    pub compared: bool,
    /// The part of the logs that was not in the index at that comparison, and is not yet, in bytes.
    pub backlog_bytes: u64,
    /// The number of sessions with records that are not in the index.
    pub behind_sessions: u32,
    /// Why the index cannot be written; absent if it can be.
    pub problem: Option<String>,
}

/// The configuration in effect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ConfigStatus {
    /// The number of changes that have come into effect since the daemon started.
    pub generation: u64,
    /// Why files of the user or of projects are not in effect as they are now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ConfigProblem>,
}

/// The log of a session cannot be written, because the disk is full for example. The running turn
/// waits, and goes on by itself.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StorageStall {
    /// Since when, in milliseconds since 1970.
    pub since: u64,
    /// The record that waits in memory. It is lost if the daemon ends before it could be written;
    /// a cancel does not drop it. Absent if no record waits yet.
    pub unsaved: Option<UnsavedRecord>,
}

/// A record that is not in the log yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnsavedRecord {
    /// Its `type`, such as `message`; `blob` for a text that a record is to name.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its length, in bytes.
    pub bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_phase_is_counted_under_its_name_on_the_wire() {
        let phases = [
            Phase::Idle,
            Phase::Preparing,
            Phase::Running,
            Phase::AwaitingPermission,
            Phase::Waiting,
            Phase::Cancelling,
            Phase::Failed,
        ];
        for phase in phases {
            let mut counted = SessionsByPhase::default();
            counted.add(phase);
            let name = serde_json::to_value(phase).unwrap();
            let found = counted
                .counts()
                .into_iter()
                .filter(|(_, count)| *count == 1);
            let found: Vec<_> = found.map(|(name, _)| name).collect();
            assert_eq!(found, [name.as_str().unwrap()]);
        }
    }

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
