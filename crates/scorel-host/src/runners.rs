//! The runners that sessions can choose.
//!
//! In: `[runners.NAME]` and the runners that are built in, the environment of commands, secrets by name.
//! Out: a [`WireRunner`] with all that its programs are started with. Only `checkRunner`
//! and the question for a version start one.

mod effects;
mod own_tools;
mod prepared;
mod report;
mod services;
mod suitable;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_config::{Config, RunnerConfig, RunnerSandbox};
use scorel_engine::{RunnerError, RunnerErrorKind};
use scorel_exec::Supervisors;
use scorel_extension::nearest;
use scorel_home::SecretStore;
use scorel_runner::{RunnerSetup, Secrets, Versions, WireRunner};
use scorel_workplace::CommandHost;
use tokio::sync::Semaphore;

pub(crate) use prepared::RunnerParts;
pub(crate) use suitable::check_suitable;

/// Processes that checks run at a time: the pool, which limits those of turns, does not count them.
const MAX_CHECKS: usize = 4;

/// Makes runners of their configuration.
#[derive(Debug)]
pub(crate) struct HostRunners {
    supervisors: Arc<Supervisors>,
    versions: Arc<Versions>,
    /// The source of the commands of the same sessions.
    pub(crate) commands: Arc<CommandHost>,
    secrets: SecretStore,
    /// Where turns have their sockets.
    sockets: PathBuf,
    /// One for each `checkRunner` at a time.
    checks: Semaphore,
}

/// No runner has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no runner `{name}` is configured")]
pub(crate) struct UnknownRunner {
    pub(crate) name: String,
    /// The most similar name that is known.
    pub(crate) suggestion: Option<String>,
}

impl UnknownRunner {
    /// The error of a turn that wants it.
    pub(crate) fn error(&self) -> RunnerError {
        RunnerError::new(RunnerErrorKind::NotInstalled, self.to_string()).with_hint(self.hint())
    }

    /// What helps.
    pub(crate) fn hint(&self) -> String {
        match &self.suggestion {
            Some(name) => format!("did you mean `{name}`?"),
            None => "`scorelctl runners` lists them; add one as [runners.NAME] in config.toml"
                .to_owned(),
        }
    }
}

impl HostRunners {
    pub(crate) fn new(
        supervisors: Arc<Supervisors>,
        commands: Arc<CommandHost>,
        secrets: SecretStore,
        sockets: PathBuf,
    ) -> Self {
        Self {
            versions: Versions::new(Arc::clone(&supervisors)),
            supervisors,
            commands,
            secrets,
            sockets,
            checks: Semaphore::new(MAX_CHECKS),
        }
    }

    /// The configuration of a runner.
    pub(crate) fn find<'a>(
        config: &'a Config,
        name: &str,
    ) -> Result<&'a RunnerConfig, UnknownRunner> {
        config.runners.get(name).ok_or_else(|| UnknownRunner {
            name: name.to_owned(),
            suggestion: nearest(name, config.runners.keys().map(String::as_str)).map(str::to_owned),
        })
    }

    /// A runner for a project. Blocks: asks the login shell, and reads the `env` file.
    pub(crate) fn open(
        &self,
        config: &Config,
        runner: &RunnerConfig,
        project: &Path,
    ) -> Result<WireRunner, RunnerError> {
        let setup = self.setup(config, runner, project)?;
        let (supervisors, versions) = (Arc::clone(&self.supervisors), Arc::clone(&self.versions));
        Ok(WireRunner::new(setup, supervisors, versions))
    }

    fn setup(
        &self,
        config: &Config,
        runner: &RunnerConfig,
        project: &Path,
    ) -> Result<RunnerSetup, RunnerError> {
        let mut environment = self.commands.runner_environment(config, project);
        for (name, value) in &runner.env {
            environment.set(name.as_str(), value.as_str());
        }
        let mut values = Vec::new();
        for (name, secret) in &runner.secret_env {
            let value = self.secret(runner, secret)?;
            environment.set(name.as_str(), &value);
            values.push(value);
        }
        let token = runner.token_env.as_deref();
        let token = token.map(|name| self.secret(runner, name)).transpose()?;
        let setup = RunnerSetup {
            name: runner.name.clone(),
            wire: runner.wire,
            command: runner.command.clone(),
            environment,
            umask: Some(self.commands.umask_now(config, project)),
            base_url: runner.base_url.clone(),
            token: None,
            model: runner.model.clone(),
            min_version: runner.min_version,
            start_limit: runner.start,
            sandbox: match runner.sandbox {
                RunnerSandbox::Own => None,
                RunnerSandbox::Scorel => Some(self.commands.runner_sandbox(
                    config,
                    project,
                    &runner.state_dirs,
                )),
            },
            secrets: Secrets::new(values),
            install: runner.install.clone(),
        };
        Ok(match token {
            Some(token) => setup.with_token(token),
            None => setup,
        })
    }

    fn secret(&self, runner: &RunnerConfig, name: &str) -> Result<String, RunnerError> {
        let failed = |message: String| RunnerError::new(RunnerErrorKind::NotLoggedIn, message);
        match self.secrets.resolve(name) {
            Ok(Some(value)) => Ok(value),
            Ok(None) => {
                let file = self.secrets.file().display();
                let needed = failed(format!("{} needs the secret `{name}`", runner.name));
                Err(needed.with_hint(format!("put `{name}=…` into {file}")))
            }
            Err(error) => Err(failed(error.to_string())),
        }
    }
}
