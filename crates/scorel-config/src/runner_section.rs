//! The `[runners.NAME]` tables of the user's file, over the runners that are built in.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use scorel_home::SecretName;
use scorel_provider::check_base_url;
use scorel_runner::{
    BuiltinRunner, CommandOutput, RunnerSetup, Version, WireKind, builtin, builtins,
};
use toml::Spanned;

use super::ConfigError;
use super::endpoint::filled;
use super::origin::DocumentOrigin;
use super::runner::{RunnerConfig, Runners};
use super::schema::{OutputName, RunnerSection, RunnerType};

/// The longest name of a runner.
const MAX_NAME: usize = 64;

/// The name of the daemon's own engine.
const ENGINE: &str = "scorel";

const KEEP: Duration = Duration::from_secs(300);
const IDLE: Duration = Duration::from_secs(600);
const CANCEL: Duration = Duration::from_secs(5);
const HANDOVER_BYTES: u64 = 64 * 1024;

/// One table and its position in the file, for errors.
struct TableCheck<'a> {
    name: &'a str,
    section: &'a RunnerSection,
    span: Range<usize>,
    origin: &'a DocumentOrigin,
}

/// The runners without a configuration.
pub(super) fn builtin_runners() -> Runners {
    let configs = builtins().iter().map(of_builtin);
    configs.map(|it| (it.name.clone(), it)).collect()
}

/// The runners that the tables describe, beside and over those that are built in.
pub(crate) fn runners(
    sections: &BTreeMap<String, Spanned<RunnerSection>>,
    origin: &DocumentOrigin,
) -> Result<Runners, ConfigError> {
    // In the order of the file, so that its first error is the one reported.
    let mut sections: Vec<_> = sections.iter().collect();
    sections.sort_by_key(|(_, section)| section.span().start);
    let mut runners = builtin_runners();
    for (name, section) in sections {
        let check = TableCheck {
            name,
            section: section.get_ref(),
            span: section.span(),
            origin,
        };
        runners.insert(name.clone(), check.config()?);
    }
    Ok(runners)
}

impl TableCheck<'_> {
    fn config(&self) -> Result<RunnerConfig, ConfigError> {
        self.check_name()?;
        let mut config = match (builtin(self.name), self.section.r#type) {
            (Some(builtin), None) => of_builtin(builtin),
            (_, Some(kind)) => self.of_type(kind),
            (None, None) => return Err(self.error(Some("type"), "it is missing")),
        };
        let section = self.section;
        if !section.command.is_empty() {
            config.command.clone_from(&section.command);
        }
        if config.command.first().is_none_or(String::is_empty) {
            return Err(self.error(Some("command"), "it is missing"));
        }
        if let Some(label) = filled(section.label.as_deref()) {
            label.clone_into(&mut config.label);
        }
        self.set_endpoint(&mut config)?;
        self.set_min_version(&mut config)?;
        self.set_output(&mut config)?;
        config.env.clone_from(&section.env);
        let named = |(name, secret): (&_, &SecretName)| (Clone::clone(name), text(secret));
        config.secret_env = section.secret_env.iter().map(named).collect();
        config.sandbox = section.sandbox;
        config.state_dirs.clone_from(&section.state_dirs);
        let seconds = |seconds, usual| Option::map_or(seconds, usual, Duration::from_secs);
        config.keep = seconds(section.keep_seconds.map(|it| it.get()), KEEP);
        let start = section.start_seconds.map(|it| it.get());
        config.start = seconds(start, RunnerSetup::START_LIMIT);
        config.idle = seconds(section.idle_seconds.map(|it| it.get()), IDLE);
        config.cancel = seconds(section.cancel_seconds.map(|it| it.get()), CANCEL);
        let bytes = section.handover_bytes.map_or(HANDOVER_BYTES, |it| it.get());
        config.handover_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        config.on_context_lost = section.on_context_lost;
        config.trust_own = section.trust_own;
        Ok(config)
    }

    /// A runner of the user's own.
    fn of_type(&self, kind: RunnerType) -> RunnerConfig {
        let like = match kind {
            RunnerType::Codex => builtin("codex"),
            RunnerType::ClaudeCode => builtin("claude-code"),
            RunnerType::KimiCli => builtin("kimi-cli"),
            RunnerType::Acp | RunnerType::Command => None,
        };
        let name = self.name.to_owned();
        match like {
            Some(builtin) => RunnerConfig {
                label: name.clone(),
                name,
                ..of_builtin(builtin)
            },
            None => {
                let wire = match kind {
                    RunnerType::Command => WireKind::Command(CommandOutput::Text),
                    _ => WireKind::Acp,
                };
                bare(name.clone(), name, wire)
            }
        }
    }

    /// A token goes to the address that it is named beside, and to no other.
    fn set_endpoint(&self, config: &mut RunnerConfig) -> Result<(), ConfigError> {
        let section = self.section;
        let takes_endpoint = matches!(config.wire, WireKind::Codex | WireKind::ClaudeCode);
        let given = [
            ("baseUrl", section.base_url.is_some()),
            ("tokenEnv", section.token_env.is_some()),
            ("model", section.model.is_some()),
        ];
        if let Some((key, _)) = given.iter().find(|(_, given)| *given && !takes_endpoint) {
            let reason =
                "only `codex` and `claude-code` take it; use `command`, `env` and `secretEnv`";
            return Err(self.error(Some(key), reason));
        }
        if let Some(url) = filled(section.base_url.as_deref()) {
            check_base_url(url).map_err(|error| self.error(Some("baseUrl"), &error.to_string()))?;
            // The usual token belongs to the usual address.
            if config.base_url.as_deref() != Some(url) {
                config.token_env = None;
            }
            config.base_url = Some(url.to_owned());
        }
        if let Some(token) = &section.token_env {
            if config.base_url.is_none() {
                return Err(self.error(Some("tokenEnv"), "`baseUrl` must say where it goes"));
            }
            config.token_env = Some(text(token));
        }
        config.model = filled(section.model.as_deref()).map(str::to_owned);
        Ok(())
    }

    fn set_min_version(&self, config: &mut RunnerConfig) -> Result<(), ConfigError> {
        if let Some(text) = filled(self.section.min_version.as_deref()) {
            let version = Version::find(text);
            let error = || self.error(Some("minVersion"), "expected a version such as `1.2.3`");
            config.min_version = Some(version.ok_or_else(error)?);
        }
        Ok(())
    }

    fn set_output(&self, config: &mut RunnerConfig) -> Result<(), ConfigError> {
        match (&mut config.wire, self.section.output) {
            (WireKind::Command(output), Some(name)) => {
                *output = match name {
                    OutputName::Text => CommandOutput::Text,
                    OutputName::Events => CommandOutput::Events,
                };
                Ok(())
            }
            (_, Some(_)) => Err(self.error(Some("output"), "it is for `type = \"command\"`")),
            (_, None) => Ok(()),
        }
    }

    /// A name is typed at the terminal, and stands in records and messages.
    fn check_name(&self) -> Result<(), ConfigError> {
        let usual = |char: char| char.is_ascii_alphanumeric() || "-_.".contains(char);
        let begins_well = self
            .name
            .starts_with(|first: char| first.is_ascii_alphanumeric());
        if !begins_well || !self.name.chars().all(usual) || self.name.len() > MAX_NAME {
            let rule = format!(
                "the name of a runner has letters, digits, `-`, `_` and `.`, begins with a letter \
                 or digit, and has at most {MAX_NAME} characters"
            );
            return Err(self.error(None, &rule));
        }
        if self.name.eq_ignore_ascii_case(ENGINE) {
            let clash = format!("`{ENGINE}` is the daemon's own engine; choose another name");
            return Err(self.error(None, &clash));
        }
        Ok(())
    }

    /// `key` is one of the table; `None` for the table as a whole.
    fn error(&self, key: Option<&str>, reason: &str) -> ConfigError {
        let mut path = format!("runners.{}", self.name);
        if let Some(key) = key {
            path.push('.');
            path.push_str(key);
        }
        let reason = format!("`{path}`: {reason}");
        self.origin
            .error(Some(self.span.clone()), Some(path), reason, None)
    }
}

fn of_builtin(builtin: &BuiltinRunner) -> RunnerConfig {
    RunnerConfig {
        command: builtin.command.iter().map(|&it| it.to_owned()).collect(),
        base_url: builtin.base_url.map(str::to_owned),
        token_env: builtin.token_env.map(str::to_owned),
        min_version: builtin.min_version.and_then(Version::find),
        install: Some(builtin.install.to_owned()),
        login: builtin.login.map(str::to_owned),
        ..bare(
            builtin.name.to_owned(),
            builtin.label.to_owned(),
            builtin.wire,
        )
    }
}

/// A runner of which nothing is known but its protocol.
fn bare(name: String, label: String, wire: WireKind) -> RunnerConfig {
    RunnerConfig {
        name,
        label,
        wire,
        command: Vec::new(),
        base_url: None,
        token_env: None,
        model: None,
        env: BTreeMap::new(),
        secret_env: BTreeMap::new(),
        min_version: None,
        sandbox: super::RunnerSandbox::default(),
        state_dirs: Vec::new(),
        keep: KEEP,
        start: RunnerSetup::START_LIMIT,
        idle: IDLE,
        cancel: CANCEL,
        handover_bytes: 64 * 1024,
        on_context_lost: super::OnContextLost::default(),
        trust_own: false,
        install: None,
        login: None,
    }
}

fn text(name: &SecretName) -> String {
    name.as_str().to_owned()
}
