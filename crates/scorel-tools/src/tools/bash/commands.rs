//! The commands of one session.

use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use scorel_exec::{
    CommandOrder, CommandResources, Isolation, Run, RunGroup, Sandbox, StartError, Supervisors,
};
use scorel_runtime::{CommandAccess, Permit, ToolContext, ToolOutcome, blocking};
use tempfile::TempDir;

use super::access::{Confinement, confine};
use super::background::Background;
use super::present::CommandFigures;
use super::{CommandSettings, PlannedCommand, foreground, guarded, present};
use crate::error::{ErrorCode, ToolError};
use crate::session_files::SessionFiles;

/// The commands of one session: those that run in the background end with this value.
#[derive(Debug)]
pub struct Commands {
    supervisors: Arc<Supervisors>,
    settings: Mutex<CommandSettings>,
    pub(super) background: Background,
    /// The directory for temporary files, made for the first command.
    temporary: Mutex<Option<TempDir>>,
    /// What the commands in the background use together, made for the first of them.
    group: Mutex<Option<Arc<RunGroup>>>,
}

/// A command with the sandbox that it starts in.
struct ReadyCommand {
    planned: PlannedCommand,
    confinement: Confinement,
    temporary: PathBuf,
}

impl Commands {
    /// A session without commands yet.
    #[must_use]
    pub fn new(supervisors: Arc<Supervisors>, settings: CommandSettings) -> Self {
        Self {
            supervisors,
            settings: Mutex::new(settings),
            background: Background::default(),
            temporary: Mutex::default(),
            group: Mutex::default(),
        }
    }

    /// Replaces the settings, for the commands that start from now on.
    pub fn set(&self, settings: CommandSettings) {
        *lock(&self.settings) = settings;
    }

    /// How many commands run in the background.
    #[must_use]
    pub fn running(&self) -> usize {
        self.background.running()
    }

    /// Runs a command to its end within what `permit` grants, and shows its output as it comes.
    /// Cancelling ends its processes and keeps the output so far.
    pub async fn run(
        self: &Arc<Self>,
        files: &Arc<SessionFiles>,
        command: PlannedCommand,
        permit: &Permit,
        context: &ToolContext,
    ) -> ToolOutcome {
        let result = self.run_to_end(files, command, permit, context).await;
        result.unwrap_or_else(|outcome| outcome)
    }

    async fn run_to_end(
        self: &Arc<Self>,
        files: &Arc<SessionFiles>,
        command: PlannedCommand,
        permit: &Permit,
        context: &ToolContext,
    ) -> Result<ToolOutcome, ToolOutcome> {
        let ready = self.prepare(files, command, permit.command).await?;
        let run = self.start(&ready, None)?;
        let watched = foreground::watch(&run, &context.updates, &context.cancel).await;
        let figures = CommandFigures {
            sandbox: ready.confinement.name,
            timeout: ready.planned.timeout,
        };
        let files = Arc::clone(files);
        blocking(move || -> Result<_, ToolOutcome> {
            Ok(present::ended(&run, &watched, &figures, files.host.blobs()))
        })
        .await
    }

    pub(super) async fn start_background(
        self: &Arc<Self>,
        files: &Arc<SessionFiles>,
        command: PlannedCommand,
        permit: &Permit,
    ) -> Result<ToolOutcome, ToolOutcome> {
        let ready = self.prepare(files, command, permit.command).await?;
        let group = self.group()?;
        let id = self.background.start(|| self.start(&ready, Some(group)))?;
        Ok(present::started(&id, ready.confinement.name))
    }

    async fn prepare(
        self: &Arc<Self>,
        files: &Arc<SessionFiles>,
        planned: PlannedCommand,
        access: CommandAccess,
    ) -> Result<ReadyCommand, ToolOutcome> {
        let (commands, files) = (Arc::clone(self), Arc::clone(files));
        blocking(move || -> Result<_, ToolError> {
            let temporary = commands.temporary()?;
            let confinement = commands.confinement(access, &files, &temporary)?;
            Ok(ReadyCommand {
                planned,
                confinement,
                temporary,
            })
        })
        .await
    }

    fn temporary(&self) -> Result<PathBuf, ToolError> {
        let mut temporary = lock(&self.temporary);
        let temporary = match &mut *temporary {
            Some(made) => made,
            none => none.insert(make_temporary_dir()?),
        };
        Ok(temporary.path().to_owned())
    }

    /// The commands in the background, which share limits.
    fn group(&self) -> Result<Arc<RunGroup>, ToolError> {
        let mut group = lock(&self.group);
        if let Some(made) = &*group {
            return Ok(Arc::clone(made));
        }
        let made = self.supervisors.group().map_err(|error| {
            let message = format!("not run: cannot make a control group: {error}");
            ToolError::new(ErrorCode::CommandNotStarted, message)
        })?;
        Ok(Arc::clone(group.insert(made)))
    }

    /// The sandbox for an access, if the kernel can enforce one. Looks for protected files in the
    /// project.
    fn confinement(
        &self,
        access: CommandAccess,
        files: &SessionFiles,
        temporary: &Path,
    ) -> Result<Confinement, ToolError> {
        if access != CommandAccess::Full && !self.supervisors.support().is_enough() {
            return Err(ToolError::new(
                ErrorCode::NoSandbox,
                "not run: this kernel cannot keep commands in a sandbox, and the user has not allowed \
                 commands to run unsandboxed",
            ));
        }
        let settings = lock(&self.settings).clone();
        let (project, daemon_home) = (files.project(), files.host.home());
        let mut hidden = settings.hidden;
        hidden.push(daemon_home.to_owned());
        let mut places = Sandbox {
            writable: settings.caches,
            hidden,
            ..Sandbox::default()
        };
        if !settings.mounts {
            places.isolation = Isolation::NONE;
        }
        if let CommandAccess::Workspace { .. } = access {
            let found = guarded::find(project, &places.hidden, settings.mounts);
            places.protected = found.mounted;
            places.guard = Some(found.guard);
        }
        Ok(confine(access, places, project, temporary))
    }

    fn start(&self, ready: &ReadyCommand, group: Option<Arc<RunGroup>>) -> Result<Run, ToolError> {
        let (environment, limits) = {
            let settings = lock(&self.settings);
            (settings.environment.clone(), settings.limits)
        };
        let order = CommandOrder {
            command: ready.planned.command.clone(),
            environment: environment.with_temporary_dir(&ready.temporary),
            sandbox: ready.confinement.sandbox.clone(),
            resources: Some(CommandResources {
                limits,
                scratch: vec![ready.temporary.clone()],
                group,
            }),
            timeout: ready.planned.timeout,
            spool_dir: Some(ready.temporary.clone()),
        };
        let directory = ready.planned.directory.as_fd();
        let started = self.supervisors.start(order, directory);
        started.map_err(|error| {
            let code = match error {
                StartError::NoSandbox => ErrorCode::NoSandbox,
                _ => ErrorCode::CommandNotStarted,
            };
            ToolError::new(code, format!("not run: {error}"))
        })
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

fn make_temporary_dir() -> Result<TempDir, ToolError> {
    let made = tempfile::Builder::new().prefix("scorel-").tempdir();
    made.map_err(|error| {
        let message = format!("not run: cannot make a directory for temporary files: {error}");
        ToolError::new(ErrorCode::CommandNotStarted, message)
    })
}
