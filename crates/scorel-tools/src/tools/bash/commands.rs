//! The commands of one session.

use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use scorel_engine::{CommandAccess, Permit, Prerequisite, ToolOutcome, blocking, spawn_blocking};
use scorel_exec::{
    CommandOrder, CommandResources, HeldRun, RunGroup, Sandbox, SharedSpace, StartError,
    Supervisors, Surroundings,
};

use super::access::{CommandPlaces, Confinement, namespaces};
use super::background::Background;
use super::listings::Listings;
use super::recording::CommandRecording;
use super::session_space::SessionSpace;
use super::standby_slot::StandbySlot;
use super::stopped::SandboxFacts;
use super::temporary_dir::TemporaryDir;
use super::{CommandSettings, PlannedCommand, present};
use crate::error::{ErrorCode, ToolError};
use crate::lazy::Lazy;
use crate::locked::lock;
use crate::session_files::SessionFiles;

/// The commands of one session: those that run in the background end with this value.
#[derive(Debug)]
pub struct Commands {
    supervisors: Arc<Supervisors>,
    settings: Mutex<Lazy<CommandSettings>>,
    pub(super) background: Background,
    /// The directory for temporary files, made for the first command.
    temporary: Mutex<Option<TemporaryDir>>,
    /// Of the project's directories, by the last command.
    listings: Mutex<Listings>,
    space: SessionSpace,
    /// The resources that the commands in the background use together, made for the first of them.
    group: Mutex<Option<Arc<RunGroup>>>,
}

/// A command with the sandbox that it starts in.
pub(super) struct ReadyCommand {
    pub(super) planned: Arc<PlannedCommand>,
    pub(super) confinement: Confinement,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CommandLifetime {
    /// The call waits for it.
    Foreground,
    Background,
}

impl ReadyCommand {
    pub(super) fn facts(&self) -> Option<SandboxFacts> {
        self.confinement.facts(&self.planned.path)
    }
}

impl Commands {
    /// A session without commands yet. The settings are found out when the first command starts.
    pub fn new(supervisors: Arc<Supervisors>, settings: impl Into<Lazy<CommandSettings>>) -> Self {
        Self {
            supervisors,
            settings: Mutex::new(settings.into()),
            background: Background::default(),
            temporary: Mutex::default(),
            listings: Mutex::default(),
            space: SessionSpace::default(),
            group: Mutex::default(),
        }
    }

    /// Replaces the settings, for the commands that start from now on.
    pub fn set(&self, settings: impl Into<Lazy<CommandSettings>>) {
        *lock(&self.settings) = settings.into();
    }

    pub(super) fn prerequisite(&self) -> Option<Prerequisite> {
        lock(&self.settings).prerequisite()
    }

    /// The number of commands that run in the background.
    pub fn running(&self) -> usize {
        self.background.running()
    }

    /// Gets ready for a command that people are asked about: starts a supervisor for the `access` that
    /// it will have, and finds out the settings, which may take seconds. Returns at once. A command that
    /// would join the session's space gets none.
    pub(super) fn stand_by(self: &Arc<Self>, access: CommandAccess, slot: StandbySlot) {
        let commands = Arc::clone(self);
        tokio::spawn(async move {
            // Not on a thread that blocks: there may be many questions, and there are few threads.
            if let Some(needed) = commands.prerequisite() {
                needed.ready.await;
            }
            spawn_blocking(move || {
                let settings = lock(&commands.settings).clone();
                commands.start_standby(namespaces(settings.get(), access), &slot);
            });
        });
    }

    fn start_standby(&self, sandbox: Option<Sandbox>, slot: &StandbySlot) {
        if self.space.current().is_none() {
            slot.put(self.supervisors.stand_by(sandbox));
        }
    }

    /// The commands that run in the background: each id with the command's first line.
    pub fn in_background(&self) -> Vec<(String, String)> {
        self.background.list()
    }

    pub(super) async fn start_background(
        self: &Arc<Self>,
        files: &Arc<SessionFiles>,
        command: PlannedCommand,
        permit: &Permit,
    ) -> Result<ToolOutcome, ToolOutcome> {
        let (commands, inner) = (Arc::clone(self), Arc::clone(files));
        let (planned, granted) = (Arc::new(command), permit.clone());
        let ready = blocking(move || {
            commands.ready(&inner, planned, &granted, CommandLifetime::Background)
        });
        let (ready, order) = ready.await?;
        let start = || Ok((self.hold(&ready, order)?.start(), ready.facts()));
        let id = self.background.start(&ready.planned.command, start)?;
        let mut outcome = present::started(&id, &ready.confinement);
        CommandRecording::of_background(files, permit).end(true, &mut outcome);
        Ok(outcome)
    }

    /// Finds out how a command is to run. Blocks.
    pub(super) fn ready(
        &self,
        files: &SessionFiles,
        planned: Arc<PlannedCommand>,
        permit: &Permit,
        stay: CommandLifetime,
    ) -> Result<(ReadyCommand, CommandOrder), ToolError> {
        let temporary = self.temporary()?;
        let settings = lock(&self.settings).clone();
        let settings = settings.get();
        let sandbox = namespaces(settings, permit.command).filter(|_| planned.standby.is_empty());
        if sandbox.is_some() && stay == CommandLifetime::Foreground {
            // It starts while files are looked for, each of which takes some milliseconds.
            self.start_standby(sandbox, &planned.standby);
        }
        let confinement = self.confinement(permit, settings, files, &temporary)?;
        let mut environment = settings.environment.clone();
        if let Some(sandbox) = &confinement.sandbox {
            let packages = &settings.packages;
            environment = packages.redirected(environment, &temporary, sandbox.network);
            // The configuration is protected, so `checkout -b x origin/y` could not note what x tracks.
            environment = environment.with_git_setting("branch.autoSetupMerge", "false");
            // It knows no other variable, and would make its socket in /tmp.
            if let Some(dir) = temporary.to_str() {
                environment.set("TMUX_TMPDIR", dir);
            }
        }
        if confinement.sandbox.is_some() || files.host.home.opened().is_some() {
            // Git tidies up in the background, where it would be ended with the command. And agents share a
            // repository: none of them may tidy up what belongs to the others.
            environment = environment
                .with_git_setting("gc.auto", "0")
                .with_git_setting("maintenance.auto", "false");
        }
        let order = CommandOrder {
            command: planned.command.clone().into(),
            environment: environment.with_temporary_dir(&temporary),
            sandbox: confinement.sandbox.clone(),
            space: self.space(&confinement, stay)?,
            resources: Some(CommandResources {
                limits: settings.limits,
                scratch: vec![temporary.clone()],
                group: match stay {
                    CommandLifetime::Foreground => None,
                    CommandLifetime::Background => Some(self.group()?),
                },
            }),
            timeout: planned.timeout,
            umask: settings.umask,
            spool_dir: Some(temporary),
        };
        let ready = ReadyCommand {
            planned,
            confinement,
        };
        Ok((ready, order))
    }

    fn temporary(&self) -> Result<PathBuf, ToolError> {
        let mut temporary = lock(&self.temporary);
        let temporary = match &mut *temporary {
            Some(made) => made,
            none => none.insert(TemporaryDir::new().map_err(|error| {
                let message =
                    format!("not run: cannot make a directory for temporary files: {error}");
                ToolError::new(ErrorCode::CommandNotStarted, message)
            })?),
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

    /// The sandbox for a permit, if the kernel can enforce one. Looks for hidden and for protected files.
    fn confinement(
        &self,
        permit: &Permit,
        settings: &CommandSettings,
        files: &SessionFiles,
        temporary: &Path,
    ) -> Result<Confinement, ToolError> {
        if permit.command != CommandAccess::Full && !self.supervisors.support().is_enough() {
            return Err(ToolError::new(
                ErrorCode::NoSandbox,
                "not run: this kernel cannot keep commands in a sandbox, and the user has not allowed \
                 commands to run unsandboxed",
            ));
        }
        let places = CommandPlaces {
            settings,
            project: files.project(),
            temporary,
            daemon_home: &files.host.home,
            listings: &self.listings,
        };
        places.confine(permit)
    }

    /// The session's space, if the command is to be in it. Blocks while it is made.
    fn space(
        &self,
        confinement: &Confinement,
        stay: CommandLifetime,
    ) -> Result<Option<Arc<SharedSpace>>, ToolError> {
        let surroundings = confinement.sandbox.as_ref().map(|it| it.surroundings);
        if surroundings != Some(Surroundings::Own) {
            return Ok(None);
        }
        match stay {
            CommandLifetime::Foreground => Ok(self.space.current()),
            CommandLifetime::Background => self
                .space
                .get(&self.supervisors)
                .map(Some)
                .map_err(|error| refused(&error)),
        }
    }

    /// Has a supervisor prepare the command.
    pub(super) fn hold(
        &self,
        ready: &ReadyCommand,
        order: CommandOrder,
    ) -> Result<HeldRun, ToolError> {
        let directory = ready.planned.directory.as_fd();
        let standby = ready.planned.standby.take();
        let held = self.supervisors.hold(standby, order, directory);
        held.map_err(|error| refused(&error))
    }
}

fn refused(error: &StartError) -> ToolError {
    let code = match error {
        StartError::NoSandbox => ErrorCode::NoSandbox,
        _ => ErrorCode::CommandNotStarted,
    };
    ToolError::new(code, format!("not run: {error}"))
}
