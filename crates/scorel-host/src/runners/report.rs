//! What `listRunners` and `checkRunner` tell: which runners there are, and whether they work.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use futures_util::future::join_all;
use scorel_config::{Config, RunnerConfig};
use scorel_engine::{Runner as _, RunnerError, RunnerErrorKind, RunnerOrder};
use scorel_proto::{
    CheckRunnerResult, HookReach, OWN_RUNNER, RunnerCapabilities, RunnerInfo, RunnerProblem,
    RunnerType,
};
use scorel_runner::{WireKind, WireRunner};

use super::HostRunners;
use super::suitable::{access, check_suitable};

impl HostRunners {
    /// The daemon's own engine, then the configured runners by name. All are looked at at the same time:
    /// some programs take a second to tell their version.
    pub(crate) async fn list(
        self: &Arc<Self>,
        config: &Arc<Config>,
        project: &Path,
    ) -> Vec<RunnerInfo> {
        let looks = config.runners.values().map(async |runner| {
            let mut info = describe(runner);
            if let Err(error) = self.look(config, runner, project, &mut info).await {
                info.problem = Some(problem(error));
            }
            info
        });
        let others = join_all(looks).await;
        std::iter::once(own()).chain(others).collect()
    }

    /// Starts a runner, which does its handshake and makes a context, and ends it again.
    pub(crate) async fn check(
        self: &Arc<Self>,
        config: &Arc<Config>,
        runner: &RunnerConfig,
        directory: PathBuf,
    ) -> Result<CheckRunnerResult, RunnerError> {
        let _place = self.checks.acquire().await;
        let began = Instant::now();
        let mut info = describe(runner);
        let opened = self.look(config, runner, &directory, &mut info).await;
        let order = RunnerOrder {
            directory,
            context: None,
            access: access(config.permissions.mode),
            instructions: None,
            tools: None,
        };
        // A plain command takes a prompt and nothing before it.
        if let WireKind::Command(_) = runner.wire {
            opened?;
        } else {
            let link = opened?.open(order).await?;
            info.version = link.start().version.clone().or(info.version);
            link.release().await;
        }
        Ok(CheckRunnerResult {
            runner: info,
            duration_ms: began.elapsed().as_millis().try_into().unwrap_or(u64::MAX),
        })
    }

    /// Finds the program and what it needs. On an error, `info` holds the facts found before it.
    async fn look(
        self: &Arc<Self>,
        config: &Arc<Config>,
        runner: &RunnerConfig,
        project: &Path,
        info: &mut RunnerInfo,
    ) -> Result<WireRunner, RunnerError> {
        let (runners, wanted) = (Arc::clone(self), runner.clone());
        let (config_then, dir) = (Arc::clone(config), project.to_owned());
        let open = move || runners.open(&config_then, &wanted, &dir);
        let opened = scorel_engine::spawn_blocking(open).await;
        let opened = opened
            .map_err(|error| RunnerError::new(RunnerErrorKind::Failed, error.to_string()))??;
        let version = opened.version().await;
        info.installed = Some(version.is_ok());
        let version = version?;
        info.version = version.map(|version| version.to_string());
        opened.check_version(version)?;
        check_suitable(runner, opened.capabilities(), config.permissions.mode)?;
        Ok(opened)
    }
}

/// What the configuration alone tells.
fn describe(runner: &RunnerConfig) -> RunnerInfo {
    RunnerInfo {
        name: runner.name.clone(),
        label: runner.label.clone(),
        runner_type: match runner.wire {
            WireKind::Codex => RunnerType::Codex,
            WireKind::ClaudeCode => RunnerType::ClaudeCode,
            WireKind::Acp => RunnerType::Acp,
            WireKind::Command(_) => RunnerType::Command,
        },
        capabilities: runner.wire.capabilities(),
        hooks: match runner.wire.capabilities().permissions {
            true => HookReach::Before,
            false => HookReach::After,
        },
        installed: None,
        version: None,
        problem: None,
        login_command: runner.login.clone(),
    }
}

/// The daemon's own engine. What its models can do, `listModels` tells.
fn own() -> RunnerInfo {
    RunnerInfo {
        name: OWN_RUNNER.to_owned(),
        label: "Scorel".to_owned(),
        runner_type: RunnerType::Scorel,
        capabilities: RunnerCapabilities::ALL,
        hooks: HookReach::Before,
        installed: None,
        version: None,
        problem: None,
        login_command: None,
    }
}

fn problem(error: RunnerError) -> RunnerProblem {
    RunnerProblem {
        kind: error.kind,
        message: error.message,
        hint: error.hint,
    }
}
