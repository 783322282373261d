use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use scorel_exec::Umask;

use super::assembly::AssembledEnvironment;
use super::login_answer::LoginError;

/// The environment of commands, for people: names and where they are from, and no values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentReport {
    /// The login shell that was asked, or why none told anything.
    pub login_shell: Result<PathBuf, String>,
    pub from_shell: BTreeSet<String>,
    /// Of the daemon's own environment.
    pub from_daemon: BTreeSet<String>,
    /// Of the configuration.
    pub set: BTreeSet<String>,
    /// Names, each with the reason.
    pub withheld: Vec<(String, &'static str)>,
    pub umask: Umask,
    /// True if the daemon was started with this umask; else it is the login shell's.
    pub is_inherited_umask: bool,
}

impl EnvironmentReport {
    pub(super) fn new(
        made: &AssembledEnvironment,
        login_shell: Result<&Path, &LoginError>,
        umask: Umask,
        is_inherited_umask: bool,
    ) -> Self {
        let withheld = made.withheld.iter();
        Self {
            login_shell: login_shell.map(Path::to_owned).map_err(ToString::to_string),
            from_shell: made.from_shell.clone(),
            from_daemon: made.from_daemon.clone(),
            set: made.set.clone(),
            withheld: withheld
                .map(|(name, reason)| (name.clone(), reason.reason()))
                .collect(),
            umask,
            is_inherited_umask,
        }
    }
}
