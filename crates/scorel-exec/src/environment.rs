//! The environment variables of commands.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// Passed on from the daemon's environment. An allowlist and not a denylist: the daemon's environment
/// holds keys under names that no list of secrets would cover completely.
const PASSED: &[&str] = &[
    "CARGO_HOME",
    "GOCACHE",
    "GOMODCACHE",
    "GOPATH",
    "GOROOT",
    "HOME",
    "JAVA_HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "NVM_DIR",
    "PATH",
    "PYENV_ROOT",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TZ",
    "USER",
    "VIRTUAL_ENV",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
];

/// Set for every command: there is no terminal, and a pager, an editor or a password prompt would wait for
/// ever. Git starts no editor for `:`, and takes the text as it is. Not `GIT_SEQUENCE_EDITOR`, which would win over
/// the setting of a `git -c sequence.editor=…`.
const FIXED: &[(&str, &str)] = &[
    ("GIT_EDITOR", ":"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("TERM", "dumb"),
];

/// A variable whose name contains one of these is not passed on, even if its prefix is allowed.
const SECRET_NAMES: &[&str] = &[
    "APIKEY",
    "AUTH",
    "CREDENTIAL",
    "KEY",
    "PASSPHRASE",
    "PASSWD",
    "PASSWORD",
    "PRIVATE",
    "SECRET",
    "TOKEN",
];

/// A shorter secret is compared with whole values only, in bytes: it would be part of many a path.
const MIN_SEARCHED: usize = 8;

/// The environment variables of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Environment {
    variables: BTreeMap<String, String>,
}

impl Environment {
    /// Those of `variables` that commands may see. A value that contains one of `secrets`, or is not
    /// UTF-8, is left out.
    pub fn scrubbed(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        secrets: &[&str],
    ) -> Self {
        let passed = variables.into_iter().filter_map(|(name, value)| {
            let (name, value) = (name.into_string().ok()?, value.into_string().ok()?);
            let may_pass = Self::is_usual_name(&name)
                && !Self::is_secret_name(&name)
                && !Self::reveals(&value, secrets);
            may_pass.then_some((name, value))
        });
        Self::of(passed)
    }

    /// These variables, and those that are set for every command.
    pub fn of(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut variables: BTreeMap<_, _> = variables.into_iter().collect();
        let fixed = FIXED
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        variables.extend(fixed);
        Self { variables }
    }

    /// Sets a variable, even one that is set for every command.
    pub fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.to_owned());
    }

    /// Returns whether a variable with this name is set for every command.
    pub fn is_fixed_name(name: &str) -> bool {
        FIXED.iter().any(|(fixed, _)| *fixed == name)
    }

    /// Returns whether a variable with this name is passed on from the daemon's environment.
    pub fn is_usual_name(name: &str) -> bool {
        PASSED.contains(&name) || name.starts_with("LC_")
    }

    /// Returns whether a variable with this name looks like a secret.
    pub fn is_secret_name(name: &str) -> bool {
        let name = name.to_ascii_uppercase();
        SECRET_NAMES.iter().any(|part| name.contains(part))
    }

    /// Returns whether a value contains one of the secrets.
    pub fn reveals(value: &str, secrets: &[&str]) -> bool {
        let is_in = |secret: &&str| {
            value == *secret || (secret.len() >= MIN_SEARCHED && value.contains(*secret))
        };
        let mut secrets = secrets.iter().filter(|secret| !secret.is_empty());
        secrets.any(is_in)
    }

    /// Sets `TMPDIR`, `TMP` and `TEMP`.
    #[must_use]
    pub fn with_temporary_dir(mut self, dir: &Path) -> Self {
        if let Some(dir) = dir.to_str() {
            for name in ["TMPDIR", "TMP", "TEMP"] {
                self.variables.insert(name.to_owned(), dir.to_owned());
            }
        }
        self
    }

    /// Adds a setting of git for the command, after those that the variables have already.
    #[must_use]
    pub fn with_git_setting(mut self, name: &str, value: &str) -> Self {
        const COUNT: &str = "GIT_CONFIG_COUNT";
        let count: u32 = self.get(COUNT).and_then(|it| it.parse().ok()).unwrap_or(0);
        let variables = [
            (format!("GIT_CONFIG_KEY_{count}"), name.to_owned()),
            (format!("GIT_CONFIG_VALUE_{count}"), value.to_owned()),
            (COUNT.to_owned(), (count + 1).to_string()),
        ];
        self.variables.extend(variables);
        self
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// Names and values, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.variables.iter();
        pairs.map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scrub(pairs: &[(&str, &str)], secrets: &[&str]) -> Environment {
        let pairs = pairs
            .iter()
            .map(|(name, value)| (name.into(), value.into()));
        Environment::scrubbed(pairs, secrets)
    }

    #[test]
    fn only_listed_variables_are_passed_on() {
        let environment = scrub(
            &[
                ("PATH", "/bin"),
                ("LC_ALL", "C"),
                ("OPENAI_API_KEY", "sk-1"),
                ("GITHUB_TOKEN", "t"),
                ("DB_PASSWORD", "p"),
                ("SSH_AUTH_SOCK", "/s"),
                ("LD_PRELOAD", "/evil.so"),
                ("LISTEN_FDS", "1"),
                ("NOTIFY_SOCKET", "/n"),
                ("MANAGER_X", "1"),
                ("WATCHDOG_USEC", "1"),
                ("BASH_ENV", "/evil"),
                ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/x"),
                ("LC_SECRET_TOKEN", "hidden"),
                ("TERM", "xterm"),
            ],
            &[],
        );
        let own: Vec<_> = environment
            .iter()
            .filter(|pair| !FIXED.contains(pair))
            .collect();
        assert_eq!(own, [("LC_ALL", "C"), ("PATH", "/bin")]);
        assert_eq!(environment.get("TERM"), Some("dumb"));
    }

    #[test]
    fn a_value_that_contains_a_secret_is_left_out() {
        let variables = [
            ("HOME", "/home/sk-0123456789/x"),
            ("LANG", "abc"),
            ("USER", "abcd"),
        ];
        let environment = scrub(&variables, &["sk-0123456789", "abc", ""]);
        assert_eq!(environment.get("HOME"), None);
        assert_eq!(environment.get("LANG"), None);
        assert_eq!(environment.get("USER"), Some("abcd"));
    }

    #[test]
    fn settings_of_git_are_added() {
        let environment = Environment::default()
            .with_git_setting("a.b", "1")
            .with_git_setting("c.d", "2");
        let own: Vec<_> = environment.iter().collect();
        let expected = [
            ("GIT_CONFIG_COUNT", "2"),
            ("GIT_CONFIG_KEY_0", "a.b"),
            ("GIT_CONFIG_KEY_1", "c.d"),
            ("GIT_CONFIG_VALUE_0", "1"),
            ("GIT_CONFIG_VALUE_1", "2"),
        ];
        assert_eq!(own, expected);
    }

    #[test]
    fn all_variables_for_temporary_files_agree() {
        let environment = scrub(&[("TMPDIR", "/tmp")], &[]).with_temporary_dir(Path::new("/t/1"));
        assert_eq!(environment.get("TMPDIR"), Some("/t/1"));
        assert_eq!(environment.get("TEMP"), Some("/t/1"));
    }
}
