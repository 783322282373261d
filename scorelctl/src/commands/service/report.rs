use std::io;
use std::path::PathBuf;

use serde::Serialize;

use crate::output::Output;

/// The result of `service install`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Installed {
    pub(super) manager: &'static str,
    /// The files that were written. Empty, with `enabled` false, if nothing was to be changed.
    pub(super) changed: Vec<PathBuf>,
    /// The units of an earlier installation that were removed, since a package has the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) removed: Vec<PathBuf>,
    /// True if the service was enabled only now.
    pub(super) enabled: bool,
    /// The process of the daemon that was started by hand and has left its sessions to the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) took_over: Option<u32>,
    /// True if a daemon runs that does not know the changes yet.
    pub(super) restart_needed: bool,
    /// Set if the daemon runs, and nothing starts it again for a client that only connects.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) socket_dead: bool,
    /// True if the daemon goes on after the user's last logout; absent if the manager does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lingering: Option<bool>,
}

impl Installed {
    pub(super) fn describe(&self, output: &mut Output) -> io::Result<()> {
        for path in &self.changed {
            output.line(&format!("wrote     {}", path.display()))?;
        }
        for path in &self.removed {
            output.line(&format!(
                "removed   {} (a package has the same)",
                path.display()
            ))?;
        }
        if self.enabled {
            output.line("enabled   the daemon is started when a client connects")?;
        } else if self.changed.is_empty() && self.removed.is_empty() {
            output.line("installed already; nothing was changed")?;
        }
        if let Some(pid) = self.took_over {
            output.line(&format!(
                "took over from the daemon that was started by hand (process {pid})"
            ))?;
        }
        if self.restart_needed {
            output.line("the running daemon gets these changes by `scorelctl restart`")?;
        }
        if self.socket_dead {
            output.line(
                "the socket is not active, so editors will not start the daemon; `scorelctl service restart` starts both",
            )?;
        }
        if self.lingering == Some(false) {
            output.line(
                "the daemon ends when you log out; `loginctl enable-linger` keeps it running",
            )?;
        }
        Ok(())
    }
}

/// The result of `service uninstall`.
#[derive(Debug, Serialize)]
pub(super) struct Uninstalled {
    pub(super) removed: Vec<PathBuf>,
    /// True if the service was enabled or active until then.
    pub(super) disabled: bool,
}

impl Uninstalled {
    pub(super) fn describe(&self, output: &mut Output) -> io::Result<()> {
        for path in &self.removed {
            output.line(&format!("removed   {}", path.display()))?;
        }
        output.line(if self.removed.is_empty() && !self.disabled {
            "not installed; nothing was changed"
        } else {
            "sessions and configuration stay in ~/.scorel"
        })
    }
}

/// The report of `service status`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ServiceState {
    pub(super) manager: &'static str,
    /// True if the manager knows the service.
    pub(super) installed: bool,
    /// True if the manager starts it: for a client, or at login.
    pub(super) enabled: bool,
    /// True if its files are those that `service install` would write now.
    pub(super) current: bool,
    /// The manager's word for the state of the service.
    pub(super) service: String,
    /// The same for the socket that starts it, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) socket: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pid: Option<u32>,
    /// The process of a daemon that was started by hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) by_hand: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lingering: Option<bool>,
}

impl ServiceState {
    pub(super) fn describe(&self, output: &mut Output) -> io::Result<()> {
        output.line(&format!("manager   {}", self.manager))?;
        output.line(match (self.installed, self.enabled, self.current) {
            (false, _, _) => "installed no; `scorelctl service install` does it",
            (true, false, _) => {
                "installed yes, but not enabled; `scorelctl service install` does it"
            }
            (true, true, true) => "installed yes",
            (true, true, false) => {
                "installed not as this version and this PATH have it; `scorelctl service install` \
                 updates it"
            }
        })?;
        let process = self.pid.map(|pid| format!(", process {pid}"));
        let process = process.unwrap_or_default();
        output.line(&format!("service   {}{process}", self.service))?;
        if let Some(socket) = &self.socket {
            output.line(&format!("socket    {socket}"))?;
        }
        if let Some(pid) = self.by_hand {
            output.line(&format!(
                "by hand   process {pid}; `scorelctl service start` takes over from it"
            ))?;
        }
        match self.lingering {
            Some(true) => output.line("logout    it goes on"),
            Some(false) => {
                output.line("logout    it ends; `loginctl enable-linger` keeps it running")
            }
            None => Ok(()),
        }
    }
}
