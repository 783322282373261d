use std::fmt;
use std::io;
use std::process::ExitStatus;

use scorel_proto::ProtocolRange;

use super::mismatch::mismatch;

/// The reason for which the daemon of another machine cannot be reached by ssh.
#[derive(Debug)]
pub struct SshError {
    /// The name of the machine, as the user knows it.
    pub name: String,
    /// The machine as ssh takes it.
    pub host: String,
    /// The reason.
    pub problem: SshProblem,
    /// The last that ssh, or the program there, wrote to standard error; without control characters.
    pub said: String,
}

/// A reason, as far as ssh and the other machine tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SshProblem {
    /// `ssh` cannot be run here.
    Program(io::ErrorKind),
    /// The name of the host has no address.
    UnknownHost,
    /// The host cannot be reached by the network.
    NoRoute,
    /// The host's key is not known here.
    UnknownKey,
    /// The host's key is another one than before.
    ChangedKey,
    /// The host accepts no key of the user.
    Denied,
    /// The host has no `scorelctl` on its `PATH`.
    NoScorelctl,
    /// The `scorelctl` there does not know `stdio`.
    OldScorelctl,
    /// No daemon runs there, or it cannot be started.
    NoDaemon,
    /// The protocols of both ends have no version in common.
    Incompatible {
        /// The versions that the daemon there supports, if known.
        daemon: Option<ProtocolRange>,
        /// The version of the daemon there, if known.
        version: Option<String>,
    },
    /// No answer came in time.
    Silent,
    /// The connection ended before an answer.
    Lost,
    /// Anything else: ssh, or the program there, ended with this exit code.
    Other(i32),
}

impl SshProblem {
    /// Evaluates how ssh ended, and what was written to its standard error.
    pub(crate) fn of(status: ExitStatus, said: &str) -> Self {
        match status.code() {
            None | Some(0) => Self::Lost,
            // ssh's own failures. It passes on the code of the program there, which is never this one.
            Some(255) => Self::of_text(said),
            Some(126 | 127) => Self::NoScorelctl,
            Some(2) => Self::OldScorelctl,
            Some(7) => Self::NoDaemon,
            Some(code) => Self::Other(code),
        }
    }

    /// ssh's messages are not translated.
    fn of_text(said: &str) -> Self {
        let known: [(&str, Self); 10] = [
            ("REMOTE HOST IDENTIFICATION HAS CHANGED", Self::ChangedKey),
            ("Host key verification failed", Self::UnknownKey),
            ("Permission denied", Self::Denied),
            ("Too many authentication failures", Self::Denied),
            ("Could not resolve hostname", Self::UnknownHost),
            ("timed out", Self::NoRoute),
            ("Connection refused", Self::NoRoute),
            ("No route to host", Self::NoRoute),
            ("Network is unreachable", Self::NoRoute),
            ("Bad configuration option", Self::Other(255)),
        ];
        let found = known.into_iter().find(|(text, _)| said.contains(text));
        found.map_or(Self::Lost, |(_, problem)| problem)
    }
}

impl SshError {
    /// Returns whether another attempt may succeed, with nothing changed by the user.
    pub const fn may_pass(&self) -> bool {
        match &self.problem {
            SshProblem::UnknownHost
            | SshProblem::NoRoute
            | SshProblem::NoDaemon
            | SshProblem::Silent
            | SshProblem::Lost => true,
            SshProblem::Program(_)
            | SshProblem::UnknownKey
            | SshProblem::ChangedKey
            | SshProblem::Denied
            | SshProblem::NoScorelctl
            | SshProblem::OldScorelctl
            | SshProblem::Incompatible { .. }
            | SshProblem::Other(_) => false,
        }
    }

    /// The cure, for the user.
    pub fn hint(&self) -> String {
        let host = &self.host;
        match &self.problem {
            SshProblem::Program(io::ErrorKind::NotFound) => {
                "install OpenSSH's client, such as the package openssh-client".to_owned()
            }
            SshProblem::Program(_) => "`ssh` has to be a program on PATH".to_owned(),
            SshProblem::UnknownHost => format!(
                "`ssh {host} true` has to work; the host may be misspelt, or its alias missing in \
                 ~/.ssh/config"
            ),
            SshProblem::NoRoute | SshProblem::Silent => {
                format!("`ssh -v {host} true` shows how far ssh comes")
            }
            SshProblem::UnknownKey => {
                format!("`ssh {host}` shows the key, and keeps it once you have compared it")
            }
            SshProblem::ChangedKey => format!(
                "if the machine was set up anew, remove the old key with `ssh-keygen -R`, and compare the new \
                 one at `ssh {host}`; otherwise something else answers in its place"
            ),
            SshProblem::Denied => format!(
                "ssh may not ask for a password or a passphrase here: give your key to the agent with \
                 `ssh-add`, then `ssh -o BatchMode=yes {host} true` has to work"
            ),
            SshProblem::NoScorelctl => format!(
                "install Scorel there; `ssh {host} command -v scorelctl` has to find it, and that shell may \
                 read other files than your login shell"
            ),
            SshProblem::OldScorelctl => {
                format!("`ssh {host} scorelctl --version` shows it: upgrade it there")
            }
            SshProblem::NoDaemon => format!("`ssh {host} scorelctl status` shows its state"),
            SshProblem::Incompatible { daemon, .. } => match daemon {
                Some(daemon) if daemon.min > ProtocolRange::SUPPORTED.max => {
                    "it is newer: upgrade Scorel here".to_owned()
                }
                _ => format!(
                    "it is older: upgrade Scorel there, then `ssh {host} scorelctl restart` starts it"
                ),
            },
            SshProblem::Lost => format!(
                "`ssh {host} true` has to print nothing: what the shell's own files print there comes before \
                 the daemon's answer"
            ),
            SshProblem::Other(_) => format!("`ssh {host} scorelctl stdio </dev/null` shows it"),
        }
    }
}

impl fmt::Display for SshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match &self.problem {
            SshProblem::Program(_) => write!(f, "cannot run ssh, by which {name} is reached"),
            SshProblem::UnknownHost => {
                write!(f, "{name} has no address: ssh does not know {}", self.host)
            }
            SshProblem::NoRoute => write!(f, "{name} cannot be reached by the network"),
            SshProblem::UnknownKey => write!(f, "the host key of {name} is not known here"),
            SshProblem::ChangedKey => {
                write!(f, "the host key of {name} is not the one from before")
            }
            SshProblem::Denied => write!(f, "{name} accepts none of the keys that ssh offers"),
            SshProblem::NoScorelctl => write!(f, "{name} has no scorelctl on its PATH"),
            SshProblem::OldScorelctl => {
                write!(f, "the scorelctl on {name} is too old for --remote")
            }
            SshProblem::NoDaemon => write!(f, "no daemon answers on {name}"),
            SshProblem::Incompatible { daemon, version } => {
                let text = mismatch(daemon.as_ref(), version.as_deref());
                write!(f, "{name}: {text}")
            }
            SshProblem::Silent => write!(f, "{name} does not answer in time"),
            SshProblem::Lost => write!(f, "the connection to {name} ended before an answer"),
            SshProblem::Other(code) => {
                write!(f, "the program on {name} ended with exit code {code}")
            }
        }?;
        match self.said.as_str() {
            "" => Ok(()),
            said => write!(f, ": {said}"),
        }
    }
}

impl std::error::Error for SshError {}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    /// ssh's texts, from OpenSSH 9.2.
    #[test]
    fn the_reason_is_found_in_how_ssh_ended_and_what_it_said() {
        for (code, said, problem) in [
            (
                255,
                "ssh: Could not resolve hostname nix: Name or service not known",
                SshProblem::UnknownHost,
            ),
            (
                255,
                "ssh: connect to host 192.0.2.1 port 22: Connection timed out",
                SshProblem::NoRoute,
            ),
            (
                255,
                "ssh: connect to host localhost port 1: Connection refused",
                SshProblem::NoRoute,
            ),
            (
                255,
                "No ED25519 host key is known for x and you have requested strict checking.\r\n\
                 Host key verification failed.",
                SshProblem::UnknownKey,
            ),
            (
                255,
                "@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\r\n\
                 Host key verification failed.",
                SshProblem::ChangedKey,
            ),
            (
                255,
                "anna@x: Permission denied (publickey).",
                SshProblem::Denied,
            ),
            (
                255,
                "Connection closed by 127.0.0.1 port 22",
                SshProblem::Lost,
            ),
            (
                127,
                "bash: line 1: scorelctl: command not found",
                SshProblem::NoScorelctl,
            ),
            (
                2,
                "error: unrecognized subcommand 'stdio'",
                SshProblem::OldScorelctl,
            ),
            (7, "error: no daemon listens on /x", SshProblem::NoDaemon),
            (1, "error: x", SshProblem::Other(1)),
            (0, "", SshProblem::Lost),
        ] {
            let status = ExitStatus::from_raw(code << 8);
            assert_eq!(SshProblem::of(status, said), problem, "{said}");
        }
        assert_eq!(
            SshProblem::of(ExitStatus::from_raw(9), ""),
            SshProblem::Lost
        );
    }

    #[test]
    fn the_side_that_is_older_is_named() {
        let hint = |min, max| {
            let daemon = Some(ProtocolRange { min, max });
            let error = SshError {
                name: "build".to_owned(),
                host: "anna@build".to_owned(),
                problem: SshProblem::Incompatible {
                    daemon,
                    version: Some("0.1".to_owned()),
                },
                said: String::new(),
            };
            assert!(
                error
                    .to_string()
                    .starts_with("build: the daemon (0.1) speaks"),
                "{error}"
            );
            error.hint()
        };
        assert!(hint(0, 0).contains("ssh anna@build scorelctl restart"));
        assert!(hint(7, 9).contains("upgrade Scorel here"));
    }
}
