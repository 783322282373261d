//! `Bash`, `BashOutput` and `BashStop`: commands of one session.

mod access;
mod arguments;
mod background;
mod foreground;
mod guarded;
mod present;

use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use scorel_exec::{CommandOrder, Environment, Run, Sandbox, StartError, Supervisors};
use scorel_runtime::{ToolOutcome, ToolSpec, ToolUpdates};
use serde_json::Value;
use tempfile::TempDir;
use tokio::task::{JoinError, spawn_blocking};
use tokio_util::sync::CancellationToken;

use crate::arguments as schema;
use crate::error::{ErrorCode, ToolError};
use crate::host::ToolHost;
use crate::roots::Roots;

pub use access::CommandAccess;
use access::Confinement;
use arguments::{BashArguments, OutputArguments, StopArguments};
use background::Background;
use present::Figures;

/// What commands of a session get from the daemon.
#[derive(Debug, Clone)]
pub struct CommandSettings {
    /// What a command may do if nothing else was granted to its call.
    pub access: CommandAccess,
    /// What commands find in their environment.
    pub environment: Environment,
    /// What commands may write besides the project and their temporary directory.
    pub caches: Vec<PathBuf>,
    /// What commands cannot read, besides the daemon's home.
    pub hidden: Vec<PathBuf>,
    /// Whether protected files at the top of the project are mounted read-only. Otherwise they are
    /// compared and put back when a command has ended, like those that mounts cannot cover.
    pub mounts: bool,
}

/// The commands of one session: those that run in the background end with this value.
#[derive(Debug)]
pub struct Commands {
    supervisors: Arc<Supervisors>,
    settings: Mutex<CommandSettings>,
    /// What the next call may do, by its id: commands run one after the other.
    granted: Mutex<Option<(String, CommandAccess)>>,
    background: Background,
    /// The directory for temporary files, once a command needed one.
    temporary: Mutex<Option<TempDir>>,
}

/// The names of the tools that run commands.
pub const COMMAND_TOOLS: [&str; 3] = [BASH, OUTPUT, STOP];

const BASH: &str = "Bash";
const OUTPUT: &str = "BashOutput";
const STOP: &str = "BashStop";

const BASH_DESCRIPTION: &str = "\
Runs a command in bash and answers its output, standard output and error together, and how it \
ended. Each call is a new shell in the project's directory: variables and `cd` do not last. There is no \
input and no terminal. Unless the user allows more, a command can write in the project, in `$TMPDIR` and in \
package caches only, and has no network; where `network` asks for it, the user may allow it. When the shell ends, what it has left running is ended too; \
use `background` for servers and watchers, then BashOutput and BashStop. Of long output the \
beginning and the end are shown; filter with grep, head or tail. For reading, finding and changing files \
the other tools are better.";

const OUTPUT_DESCRIPTION: &str = "\
Answers the output of a command that Bash started in the background: what is new since the last \
call, or what comes from a byte on. Tells whether the command still runs.";

const STOP_DESCRIPTION: &str = "\
Ends a command that Bash started in the background, with everything that it has started.";

/// What a call of one of the tools has besides its arguments.
pub(crate) struct CommandCall {
    pub(crate) id: String,
    pub(crate) roots: Arc<Roots>,
    pub(crate) host: ToolHost,
    pub(crate) updates: ToolUpdates,
    pub(crate) cancel: CancellationToken,
}

/// Where a command runs.
struct Places {
    directory: OwnedFd,
    /// Where its temporary files go.
    temporary: PathBuf,
}

impl Commands {
    /// The commands of a session, none yet.
    #[must_use]
    pub fn new(supervisors: Arc<Supervisors>, settings: CommandSettings) -> Self {
        Self {
            supervisors,
            settings: Mutex::new(settings),
            granted: Mutex::default(),
            background: Background::default(),
            temporary: Mutex::default(),
        }
    }

    /// Changes what holds for the commands that start from now on.
    pub fn set(&self, settings: CommandSettings) {
        *lock(&self.settings) = settings;
    }

    /// Lets the next call with the id `call_id` run with other access, once.
    pub fn grant(&self, call_id: &str, access: CommandAccess) {
        *lock(&self.granted) = Some((call_id.to_owned(), access));
    }

    /// How many commands run in the background.
    #[must_use]
    pub fn running(&self) -> usize {
        self.background.running()
    }

    pub(crate) fn specs() -> [ToolSpec; 3] {
        let spec = |name: &str, description: &str, parameters, read_only| ToolSpec {
            name: name.to_owned(),
            description: description.to_owned(),
            parameters,
            read_only,
        };
        [
            spec(
                BASH,
                BASH_DESCRIPTION,
                schema::schema::<BashArguments>(),
                false,
            ),
            spec(
                OUTPUT,
                OUTPUT_DESCRIPTION,
                schema::schema::<OutputArguments>(),
                true,
            ),
            spec(
                STOP,
                STOP_DESCRIPTION,
                schema::schema::<StopArguments>(),
                false,
            ),
        ]
    }

    /// Runs a call of the tool `name`; nothing if it is none of these.
    pub(crate) fn call(
        self: &Arc<Self>,
        name: &str,
        input: Value,
        call: CommandCall,
    ) -> Option<BoxFuture<'static, ToolOutcome>> {
        let commands = Arc::clone(self);
        Some(match name {
            BASH => Box::pin(async move {
                commands
                    .bash(input, call)
                    .await
                    .unwrap_or_else(ToolError::into_outcome)
            }),
            OUTPUT => Box::pin(async move {
                commands
                    .output(input)
                    .unwrap_or_else(ToolError::into_outcome)
            }),
            STOP => Box::pin(async move {
                commands
                    .stop(input)
                    .await
                    .unwrap_or_else(ToolError::into_outcome)
            }),
            _ => return None,
        })
    }

    async fn bash(
        self: &Arc<Self>,
        input: Value,
        call: CommandCall,
    ) -> Result<ToolOutcome, ToolError> {
        let granted = lock(&self.granted).take().filter(|(id, _)| *id == call.id);
        let granted = granted.map(|(_, access)| access);
        let arguments: BashArguments = schema::parse(input)?;
        arguments.check()?;
        let prepared = {
            let (commands, roots) = (Arc::clone(self), Arc::clone(&call.roots));
            let (cwd, host) = (arguments.cwd.clone(), call.host.clone());
            spawn_blocking(move || {
                let places = commands.places(&roots, cwd.as_deref())?;
                let confinement = commands.confinement(granted, &roots, host.home(), &places)?;
                Ok((places, confinement))
            })
        };
        let (places, confinement) = prepared.await.map_err(|error| internal(&error))??;
        let start = || self.start(&arguments, &confinement, &places);
        if arguments.background.unwrap_or(false) {
            let id = self.background.start(start)?;
            return Ok(present::started(&id, confinement.name));
        }
        let run = start()?;
        let watched = foreground::watch(&run, &call.updates, &call.cancel).await;
        let figures = Figures {
            sandbox: confinement.name,
            timeout: arguments.timeout(),
        };
        let host = call.host;
        spawn_blocking(move || present::ended(&run, &watched, &figures, host.blobs()))
            .await
            .map_err(|error| internal(&error))
    }

    /// Opens the directory to run in, and makes the one for temporary files if there is none yet.
    fn places(&self, roots: &Roots, cwd: Option<&str>) -> Result<Places, ToolError> {
        let directory = arguments::open_directory(roots, cwd)?;
        let mut temporary = lock(&self.temporary);
        let temporary = match &mut *temporary {
            Some(made) => made,
            none => none.insert(make_temporary_dir()?),
        };
        Ok(Places {
            directory,
            temporary: temporary.path().to_owned(),
        })
    }

    /// What the command may do, if the kernel can hold it to that. Looks for what is protected in the
    /// project.
    fn confinement(
        &self,
        granted: Option<CommandAccess>,
        roots: &Roots,
        daemon_home: &Path,
        own: &Places,
    ) -> Result<Confinement, ToolError> {
        let settings = lock(&self.settings).clone();
        let access = granted.unwrap_or(settings.access);
        if access != CommandAccess::Full && !self.supervisors.support().is_enough() {
            return Err(ToolError::new(
                ErrorCode::NoSandbox,
                "not run: this kernel cannot keep commands in a sandbox, and the user has not allowed \
                 commands to run unsandboxed",
            ));
        }
        let project = roots.project_path();
        let mut hidden = settings.hidden;
        hidden.push(daemon_home.to_owned());
        let mut places = Sandbox {
            writable: settings.caches,
            hidden,
            ..Sandbox::default()
        };
        if let CommandAccess::Workspace { .. } = access {
            let found = guarded::find(project, &places.hidden, settings.mounts);
            places.protected = found.mounted;
            places.guard = Some(found.guard);
        }
        Ok(access.confine(places, project, &own.temporary))
    }

    fn start(
        &self,
        arguments: &BashArguments,
        confinement: &Confinement,
        places: &Places,
    ) -> Result<Run, ToolError> {
        let environment = lock(&self.settings).environment.clone();
        let order = CommandOrder {
            command: arguments.command.clone(),
            environment: environment.with_temporary_dir(&places.temporary),
            sandbox: confinement.sandbox.clone(),
            timeout: arguments.timeout(),
            spool_dir: Some(places.temporary.clone()),
        };
        let started = self.supervisors.start(order, places.directory.as_fd());
        started.map_err(|error| {
            let code = match error {
                StartError::NoSandbox => ErrorCode::NoSandbox,
                _ => ErrorCode::CommandNotStarted,
            };
            ToolError::new(code, format!("not run: {error}"))
        })
    }

    fn output(&self, input: Value) -> Result<ToolOutcome, ToolError> {
        let arguments: OutputArguments = schema::parse(input)?;
        let (run, section) = self.background.read(&arguments.id, arguments.since_bytes)?;
        Ok(present::section(&arguments.id, &run, &section))
    }

    async fn stop(&self, input: Value) -> Result<ToolOutcome, ToolError> {
        /// Longer than the supervisor takes.
        const LIMIT: Duration = Duration::from_secs(10);
        let arguments: StopArguments = schema::parse(input)?;
        let run = self.background.get(&arguments.id)?;
        let had_ended = run.ended().is_some();
        run.stop();
        // If it takes longer, the answer says that the command still runs.
        let _in_time = tokio::time::timeout(LIMIT, run.wait()).await.is_ok();
        Ok(present::stopped(&arguments.id, &run, had_ended))
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

fn internal(error: &JoinError) -> ToolError {
    ToolError::new(ErrorCode::Internal, format!("the tool failed: {error}"))
}

fn make_temporary_dir() -> Result<TempDir, ToolError> {
    let made = tempfile::Builder::new().prefix("scorel-").tempdir();
    made.map_err(|error| {
        let message = format!("not run: cannot make a directory for temporary files: {error}");
        ToolError::new(ErrorCode::CommandNotStarted, message)
    })
}
