//! Which variables commands get.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::ffi::OsStr;

use scorel_config::{EnvironmentConfig, VariableName};
use scorel_exec::Environment;

/// Variables of one shell and not of the user.
const OF_THE_SHELL: [&str; 5] = ["OLDPWD", "PWD", "SHELL_SESSION_ID", "SHLVL", "_"];

/// In bytes. The kernel refuses to execute anything with a variable of more than 128 KiB.
const MAX_VALUE: usize = 100_000;

/// What the environment of commands is made of.
#[derive(Debug)]
pub(crate) struct EnvironmentSources<'a> {
    /// The login shell's variables; nothing if it did not tell.
    pub shell: Option<&'a BTreeMap<String, String>>,
    pub daemon: &'a BTreeMap<String, String>,
    /// Names of the daemon's own keys.
    pub(crate) key_names: &'a BTreeSet<String>,
    /// Their values.
    pub secrets: &'a [&'a str],
    pub config: &'a EnvironmentConfig,
}

/// The environment of commands, the origins of its variables, and the withheld ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AssembledEnvironment {
    pub environment: Environment,
    pub from_shell: BTreeSet<String>,
    pub from_daemon: BTreeSet<String>,
    pub set: BTreeSet<String>,
    pub withheld: BTreeMap<String, Withheld>,
}

/// The reason why a variable is withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Withheld {
    LooksSecret,
    OwnKey,
    Removed,
    TooLong,
}

impl Withheld {
    pub(crate) const fn reason(self) -> &'static str {
        match self {
            Self::LooksSecret => "looks like a secret",
            Self::OwnKey => "one of the daemon's keys",
            Self::Removed => "removed by the configuration",
            Self::TooLong => "too long",
        }
    }
}

impl EnvironmentSources<'_> {
    pub(crate) fn assemble(&self) -> AssembledEnvironment {
        let mut made = AssembledEnvironment::default();
        let mut variables = BTreeMap::new();
        for (name, value) in self.shell.into_iter().flatten() {
            if OF_THE_SHELL.contains(&name.as_str()) || !VariableName::is_name(name) {
                continue;
            }
            match self.withheld(name, value) {
                Some(reason) => _ = made.withheld.insert(name.clone(), reason),
                None => {
                    made.from_shell.insert(name.clone());
                    variables.insert(name.clone(), value.clone());
                }
            }
        }
        for (name, value) in self.daemon {
            let is_known = variables.contains_key(name) || made.withheld.contains_key(name);
            if is_known || !(Environment::is_usual_name(name) || self.passes(name)) {
                continue;
            }
            match self.withheld(name, value) {
                Some(reason) => _ = made.withheld.insert(name.clone(), reason),
                None => {
                    made.from_daemon.insert(name.clone());
                    variables.insert(name.clone(), value.clone());
                }
            }
        }
        self.join_paths(&mut variables);
        made.environment = Environment::of(variables);
        for (name, value) in &self.config.set {
            made.environment.set(name.as_str(), value.as_str());
            made.set.insert(name.as_str().to_owned());
            made.withheld.remove(name.as_str());
        }
        made
    }

    /// The shell's `PATH` first, then what the daemon's has besides.
    fn join_paths(&self, variables: &mut BTreeMap<String, String>) {
        const NAME: &str = "PATH";
        let (Some(path), Some(own)) = (variables.get(NAME), self.daemon.get(NAME)) else {
            return;
        };
        let mut entries: Vec<_> = env::split_paths(path).collect();
        for entry in env::split_paths(OsStr::new(own)) {
            if !entries.contains(&entry) {
                entries.push(entry);
            }
        }
        let joined = env::join_paths(entries).ok();
        if let Some(joined) = joined.and_then(|joined| joined.into_string().ok()) {
            variables.insert(NAME.to_owned(), joined);
        }
    }

    fn withheld(&self, name: &str, value: &str) -> Option<Withheld> {
        let removes = |it: &scorel_config::VariablePattern| it.matches(name);
        if self.key_names.contains(name) || Environment::reveals(value, self.secrets) {
            Some(Withheld::OwnKey)
        } else if self.config.remove.iter().any(removes) {
            Some(Withheld::Removed)
        } else if Environment::is_secret_name(name) && !self.passes(name) {
            Some(Withheld::LooksSecret)
        } else {
            (value.len() > MAX_VALUE).then_some(Withheld::TooLong)
        }
    }

    fn passes(&self, name: &str) -> bool {
        self.config.pass.iter().any(|it| it.matches(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pairs<'a> = &'a [(&'a str, &'a str)];

    fn map(pairs: Pairs<'_>) -> BTreeMap<String, String> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        pairs.iter().map(owned).collect()
    }

    fn assemble(shell: Option<Pairs<'_>>, daemon: Pairs<'_>, config: &str) -> AssembledEnvironment {
        let config = crate::test_config::tools_environment(config);
        let shell = shell.map(map);
        EnvironmentSources {
            shell: shell.as_ref(),
            daemon: &map(daemon),
            key_names: &BTreeSet::from(["LAB".to_owned()]),
            secrets: &["sk-0123456789"],
            config: &config,
        }
        .assemble()
    }

    fn own(made: &AssembledEnvironment) -> Vec<(&str, &str)> {
        let all = made.environment.iter();
        all.filter(|(name, _)| !Environment::is_fixed_name(name) || made.set.contains(*name))
            .collect()
    }

    #[test]
    fn a_command_gets_the_login_shells_variables_without_secrets() {
        let shell: Pairs<'_> = &[
            ("EDITOR", "vi"),
            ("PATH", "/shell:/bin"),
            ("GITHUB_TOKEN", "t"),
            ("LAB", "x"),
            ("URL", "https://u:sk-0123456789@h"),
            ("SHLVL", "2"),
            ("BASH_FUNC_f%%", "() { :; }"),
        ];
        let daemon: Pairs<'_> = &[
            ("PATH", "/bin:/daemon"),
            ("LANG", "C"),
            ("EDITOR", "ed"),
            ("NOTIFY_SOCKET", "/n"),
        ];
        let made = assemble(Some(shell), daemon, "");
        let expected = [
            ("EDITOR", "vi"),
            ("LANG", "C"),
            ("PATH", "/shell:/bin:/daemon"),
        ];
        assert_eq!(own(&made), expected);
        let withheld = [
            ("GITHUB_TOKEN", Withheld::LooksSecret),
            ("LAB", Withheld::OwnKey),
            ("URL", Withheld::OwnKey),
        ];
        assert_eq!(
            made.withheld,
            withheld
                .map(|(name, reason)| (name.to_owned(), reason))
                .into()
        );
        assert!(made.from_daemon.contains("LANG") && made.from_shell.contains("EDITOR"));
    }

    #[test]
    fn the_configuration_passes_sets_and_removes() {
        let config = r#"
            pass = ["GITHUB_*", "ONLY_DAEMON", "LAB"]
            remove = ["EDITOR"]
            set = { PAGER = "less", MY_TOKEN = "given" }
        "#;
        let shell: Pairs<'_> = &[
            ("EDITOR", "vi"),
            ("GITHUB_TOKEN", "t"),
            ("LAB", "x"),
            ("MY_TOKEN", "t"),
        ];
        let made = assemble(Some(shell), &[("ONLY_DAEMON", "1")], config);
        let expected = [
            ("GITHUB_TOKEN", "t"),
            ("MY_TOKEN", "given"),
            ("ONLY_DAEMON", "1"),
            ("PAGER", "less"),
        ];
        assert_eq!(own(&made), expected);
        assert_eq!(made.withheld["EDITOR"], Withheld::Removed);
        // Its own keys the daemon never passes on.
        assert_eq!(made.withheld["LAB"], Withheld::OwnKey);
        assert!(!made.withheld.contains_key("MY_TOKEN"));
    }

    #[test]
    fn without_a_login_shell_the_usual_variables_of_the_daemon_are_passed_on() {
        let made = assemble(None, &[("PATH", "/bin"), ("EDITOR", "ed")], "");
        assert_eq!(own(&made), [("PATH", "/bin")]);
    }
}
