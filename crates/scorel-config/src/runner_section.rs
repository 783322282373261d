//! The `[runners.NAME]` tables of the user's file, over the runners that are built in.

use std::collections::BTreeMap;
use std::time::Duration;

use scorel_home::SecretName;
use scorel_provider::check_base_url;
use scorel_runner::{
    BuiltinRunner, CommandOutput, RunnerSetup, Version, WireKind, builtin, builtins,
};

use super::ConfigError;
use super::bounded::{number_or, seconds_or};
use super::endpoint::{filled, named_key};
use super::origin::DocumentOrigin;
use super::runner::{RunnerConfig, Runners};
use super::schema::{RunnerSection, RunnerType};
use super::table_check::{TableCheck, Tables};

/// The name of the daemon's own engine.
const ENGINE: &str = "scorel";

const KEEP: Duration = Duration::from_secs(300);
const IDLE: Duration = Duration::from_secs(600);
const CANCEL: Duration = Duration::from_secs(5);
const HANDOVER_BYTES: usize = 64 * 1024;

/// The runners without a configuration.
pub(super) fn builtin_runners() -> Runners {
    let configs = builtins().iter().map(of_builtin);
    configs.map(|it| (it.name.clone(), it)).collect()
}

/// The runners that the tables describe, beside and over those that are built in.
pub(crate) fn runners(
    tables: &Tables<RunnerSection>,
    origin: &DocumentOrigin,
) -> Result<Runners, ConfigError> {
    let mut runners = builtin_runners();
    for check in TableCheck::all("runners", tables, origin) {
        runners.insert(check.name.to_owned(), check.config()?);
    }
    Ok(runners)
}

impl TableCheck<'_, RunnerSection> {
    fn config(&self) -> Result<RunnerConfig, ConfigError> {
        self.check_name("runner")?;
        self.check_is_other()?;
        let mut config = match (builtin(self.name), self.section.r#type) {
            (Some(builtin), None) => of_builtin(builtin),
            (_, Some(kind)) => self.of_type(kind),
            (None, None) => return Err(self.missing("type")),
        };
        let section = self.section;
        if !section.command.is_empty() {
            config.command.clone_from(&section.command);
        }
        if config.command.first().is_none_or(String::is_empty) {
            return Err(self.missing("command"));
        }
        if let Some(label) = filled(section.label.as_deref()) {
            label.clone_into(&mut config.label);
        }
        self.set_endpoint(&mut config)?;
        self.set_min_version(&mut config)?;
        self.set_output(&mut config)?;
        config.env.clone_from(&section.env);
        let named = |(name, secret): (&_, &SecretName)| (Clone::clone(name), named_key(secret));
        config.secret_env = section.secret_env.iter().map(named).collect();
        config.sandbox = section.sandbox;
        config.state_dirs.clone_from(&section.state_dirs);
        config.keep = seconds_or(section.keep_seconds, KEEP);
        config.start = seconds_or(section.start_seconds, RunnerSetup::START_LIMIT);
        config.idle = seconds_or(section.idle_seconds, IDLE);
        config.cancel = seconds_or(section.cancel_seconds, CANCEL);
        config.handover_bytes = number_or(section.handover_bytes, HANDOVER_BYTES);
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
            return Err(self.error(Some(key), reason, None));
        }
        if let Some(url) = filled(section.base_url.as_deref()) {
            check_base_url(url)
                .map_err(|error| self.error(Some("baseUrl"), &error.to_string(), None))?;
            // The usual token belongs to the usual address.
            if config.base_url.as_deref() != Some(url) {
                config.token_env = None;
            }
            config.base_url = Some(url.to_owned());
        }
        if let Some(token) = &section.token_env {
            if config.base_url.is_none() {
                let reason = "`baseUrl` must say where it goes";
                return Err(self.error(Some("tokenEnv"), reason, None));
            }
            config.token_env = Some(named_key(token));
        }
        config.model = filled(section.model.as_deref()).map(str::to_owned);
        Ok(())
    }

    fn set_min_version(&self, config: &mut RunnerConfig) -> Result<(), ConfigError> {
        if let Some(text) = filled(self.section.min_version.as_deref()) {
            let version = Version::find(text);
            let reason = "expected a version such as `1.2.3`";
            let error = || self.error(Some("minVersion"), reason, None);
            config.min_version = Some(version.ok_or_else(error)?);
        }
        Ok(())
    }

    fn set_output(&self, config: &mut RunnerConfig) -> Result<(), ConfigError> {
        match (&mut config.wire, self.section.output) {
            (WireKind::Command(output), Some(wanted)) => {
                *output = wanted;
                Ok(())
            }
            (_, Some(_)) => Err(self.error(Some("output"), "it is for `type = \"command\"`", None)),
            (_, None) => Ok(()),
        }
    }

    fn check_is_other(&self) -> Result<(), ConfigError> {
        if self.name.eq_ignore_ascii_case(ENGINE) {
            let clash = format!("`{ENGINE}` is the daemon's own engine; choose another name");
            return Err(self.error(None, &clash, None));
        }
        Ok(())
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
        handover_bytes: HANDOVER_BYTES,
        on_context_lost: super::OnContextLost::default(),
        trust_own: false,
        install: None,
        login: None,
    }
}
