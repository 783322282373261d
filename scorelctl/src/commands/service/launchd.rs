//! launchd, on macOS. Not tested there yet.

use std::path::{Path, PathBuf};

use nix::unistd::Uid;
use scorel_client::DaemonHome;

use super::home_file::{ServiceFile, make_env};
use super::program::{LAUNCHCTL, ManagerError};
use super::report::{Installed, ServiceState, Uninstalled};
use super::unit_file::{UnitSource, present_path};
use super::verbs::ServiceVerbs;
use crate::commands::logs::LogsArgs;
use crate::daemon_lock::DaemonLock;
use crate::failure::Failure;

const LABEL: &str = "dev.scorel.scoreld";

/// The end of the agent's definition.
const END: &str = "</dict>\n</plist>\n";

/// The user's launchd, in which the daemon is an agent.
#[derive(Debug)]
pub(super) struct Launchd {
    agent: PathBuf,
    domain: String,
    home: DaemonHome,
    source: UnitSource,
}

impl Launchd {
    pub(super) fn new(user_home: &Path, uid: Uid, home: DaemonHome, source: UnitSource) -> Self {
        let agents = user_home.join("Library/LaunchAgents");
        Self {
            agent: agents.join(format!("{LABEL}.plist")),
            domain: format!("gui/{uid}"),
            home,
            source,
        }
    }

    fn file(&self) -> Result<ServiceFile, Failure> {
        let text = self.source.text("launchd")?;
        Ok(ServiceFile {
            path: self.agent.clone(),
            text: match present_path()? {
                Some(path) => with_path(&text, &path).ok_or_else(|| {
                    let message =
                        "the agent of this scoreld has another form than this scorelctl knows";
                    Failure::refused("no_unit", message).hint("install both from one release")
                })?,
                None => text,
            },
        })
    }

    fn target(&self) -> String {
        format!("{}/{LABEL}", self.domain)
    }

    /// The output of launchd about the agent; `None` if it is not loaded.
    fn printed(&self) -> Option<String> {
        LAUNCHCTL.run(&["print", &self.target()]).ok()
    }

    fn load(&self) -> Result<(), ManagerError> {
        let agent = self.agent.to_string_lossy();
        LAUNCHCTL.run(&["bootstrap", &self.domain, &agent])?;
        Ok(())
    }
}

impl ServiceVerbs for Launchd {
    /// A loaded agent runs at once, and takes over as systemd's service does.
    fn install(&self) -> Result<Installed, Failure> {
        let file = self.file()?;
        let was_loaded = self.printed();
        let took_over = DaemonLock::new(self.home.daemon_lock())
            .holder_by_hand(was_loaded.as_deref().and_then(pid))?;
        let mut changed = Vec::new();
        if file.put()? {
            changed.push(file.path);
        }
        let restart_needed = was_loaded.is_some() && !changed.is_empty();
        changed.extend(make_env(&self.home)?);
        if was_loaded.is_none() {
            self.load()?;
        }
        Ok(Installed {
            manager: "launchd",
            changed,
            removed: Vec::new(),
            enabled: was_loaded.is_none(),
            took_over,
            restart_needed,
            socket_dead: false,
            lingering: None,
        })
    }

    fn uninstall(&self) -> Result<Uninstalled, Failure> {
        let was_loaded = self.printed().is_some();
        if was_loaded {
            LAUNCHCTL.run(&["bootout", &self.target()])?;
        }
        Ok(Uninstalled {
            removed: ServiceFile::remove_all([self.agent.clone()])?,
            disabled: was_loaded,
        })
    }

    fn start(&self) -> Result<(), Failure> {
        if self.printed().is_none() {
            if !self.agent.exists() {
                return Err(
                    Failure::refused("not_installed", "the agent is not installed")
                        .hint("`scorelctl service install` installs it"),
                );
            }
            self.load()?;
        }
        LAUNCHCTL.run(&["kickstart", &self.target()])?;
        Ok(())
    }

    fn stop(&self) -> Result<(), Failure> {
        if self.printed().is_some() {
            LAUNCHCTL.run(&["bootout", &self.target()])?;
        }
        Ok(())
    }

    fn restart(&self) -> Result<(), Failure> {
        // `kickstart -k` does not wait for the end of what the agent does at SIGTERM.
        self.stop()?;
        self.start()
    }

    fn state(&self) -> Result<ServiceState, Failure> {
        let printed = self.printed();
        let pid = printed.as_deref().and_then(pid);
        Ok(ServiceState {
            manager: "launchd",
            installed: printed.is_some() || self.agent.exists(),
            enabled: printed.is_some() || self.agent.exists(),
            current: self.file()?.is_there(),
            service: match (&printed, pid) {
                (None, _) => "not loaded",
                (Some(_), None) => "loaded",
                (Some(_), Some(_)) => "running",
            }
            .to_owned(),
            socket: None,
            by_hand: DaemonLock::new(self.home.daemon_lock()).holder_by_hand(pid)?,
            pid,
            lingering: None,
        })
    }

    fn logs(&self, _args: &LogsArgs, _json: bool) -> Failure {
        let message = "launchd keeps no log of its agents";
        Failure::refused("no_log", message).hint("`scorelctl logs` prints the daemon's own log")
    }
}

/// The `pid = 42` in what launchd prints.
fn pid(printed: &str) -> Option<u32> {
    let mut values = printed.lines().filter_map(|line| {
        let (name, value) = line.trim().split_once(" = ")?;
        (name == "pid").then_some(value)
    });
    values.next()?.parse().ok()
}

/// The agent with a `PATH`; `None` if it does not end as it should.
fn with_path(agent: &str, path: &str) -> Option<String> {
    let path = path
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let variables = format!(
        "    <key>EnvironmentVariables</key>\n    <dict>\n        <key>PATH</key>\n        \
         <string>{path}</string>\n    </dict>\n"
    );
    Some(format!("{}{variables}{END}", agent.strip_suffix(END)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_gets_the_path() {
        let agent = include_str!("../../../../launchd/dev.scorel.scoreld.plist");
        let text = with_path(agent, "/a&b").expect("an agent");
        assert!(text.ends_with(
            "<key>PATH</key>\n        <string>/a&amp;b</string>\n    </dict>\n</dict>\n</plist>\n"
        ));
        assert_eq!(with_path("<plist/>", "/a"), None);
    }

    #[test]
    fn the_process_is_found_in_what_launchd_prints() {
        let printed = "gui/501/dev.scorel.scoreld = {\n\tactive count = 1\n\tpid = 42\n}";
        assert_eq!(pid(printed), Some(42));
        assert_eq!(pid("{\n\tstate = waiting\n}"), None);
    }
}
