//! A runner over one of the wires.

use std::fs::File;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt as _};
use scorel_engine::{
    Runner, RunnerCapabilities, RunnerError, RunnerErrorKind, RunnerLink, RunnerOrder, RunnerStart,
};
use scorel_exec::{CommandLine, CommandOrder, Supervisors};

use crate::dialect::Dialect;
use crate::launch::{self, Launch};
use crate::peer::Peer;
use crate::setup::RunnerSetup;
use crate::version::Version;
use crate::versions::Versions;
use crate::wire_kind::{CommandOutput, WireKind};
use crate::wire_link::WireLink;
use crate::wires::acp::AcpDialect;
use crate::wires::claude_code::ClaudeCodeDialect;
use crate::wires::codex::CodexDialect;
use crate::wires::command::{EventsDialect, TextDialect};

/// A configured runner and what its programs are started with.
#[derive(Debug, Clone)]
pub struct WireRunner {
    setup: Arc<RunnerSetup>,
    supervisors: Arc<Supervisors>,
    versions: Arc<Versions>,
}

impl WireRunner {
    pub fn new(setup: RunnerSetup, supervisors: Arc<Supervisors>, versions: Arc<Versions>) -> Self {
        Self {
            setup: Arc::new(setup),
            supervisors,
            versions,
        }
    }

    /// Identifies what its processes are started with; see [`RunnerSetup::fingerprint`].
    pub fn fingerprint(&self) -> u64 {
        self.setup.fingerprint()
    }

    /// The version of the program that is installed, without starting more of it. `None` if it does not
    /// tell one, or none is required.
    ///
    /// # Errors
    /// [`RunnerErrorKind::NotInstalled`].
    pub async fn version(&self) -> Result<Option<Version>, RunnerError> {
        let program = launch::program(&self.setup)?;
        Ok(self.version_of(&program).await)
    }

    async fn version_of(&self, program: &Path) -> Option<Version> {
        self.setup.min_version?;
        let setup = &self.setup;
        let asked = self.versions.of(program, &setup.environment, setup.umask);
        asked.await
    }

    /// Refuses a version that is too old.
    ///
    /// # Errors
    /// [`RunnerErrorKind::TooOld`].
    pub fn check_version(&self, version: Option<Version>) -> Result<(), RunnerError> {
        let (Some(version), Some(min)) = (version, self.setup.min_version) else {
            return Ok(());
        };
        if version >= min {
            return Ok(());
        }
        let name = &self.setup.name;
        let message = format!("{name} {version} is older than {min}, the oldest that is tried");
        let error = RunnerError::new(RunnerErrorKind::TooOld, message);
        let hint = format!("update it, or set `minVersion` of [runners.{name}]");
        Err(error.with_hint(hint))
    }

    async fn start(self, order: RunnerOrder) -> Result<Box<dyn RunnerLink>, RunnerError> {
        let launch = Launch::of(&self.setup, &order)?;
        let version = self.version_of(&launch.program).await;
        self.check_version(version)?;
        let start = RunnerStart {
            command: launch.command(),
            directory: order.directory.clone(),
            version: version.map(|version| version.to_string()),
            resumed: order.context.is_some(),
            context_id: None,
        };
        let dialect: Box<dyn Dialect> = match self.setup.wire {
            WireKind::Codex => Box::new(CodexDialect::new(order, self.setup.model.clone())),
            WireKind::ClaudeCode => Box::new(ClaudeCodeDialect::new(order)),
            WireKind::Acp => Box::new(AcpDialect::new(order)),
            WireKind::Command(CommandOutput::Text) => Box::new(TextDialect),
            WireKind::Command(CommandOutput::Events) => Box::new(EventsDialect::new(order.context)),
        };
        self.open_link(launch, dialect, start).await
    }

    async fn open_link(
        &self,
        launch: Launch,
        dialect: Box<dyn Dialect>,
        start: RunnerStart,
    ) -> Result<Box<dyn RunnerLink>, RunnerError> {
        let failed = |error: String| RunnerError::new(RunnerErrorKind::Failed, error);
        let directory = File::open(&start.directory).map_err(|error| {
            failed(format!(
                "cannot open {}: {error}",
                start.directory.display()
            ))
        })?;
        let order = CommandOrder {
            command: CommandLine::Program {
                program: launch.program,
                arguments: launch.arguments,
            },
            environment: launch.environment,
            sandbox: self.setup.sandbox.clone(),
            space: None,
            resources: None,
            timeout: None,
            umask: self.setup.umask,
            spool_dir: None,
        };
        let process = self.supervisors.start_piped(order, directory.as_fd());
        let process = process.map_err(|error| failed(error.to_string()))?;
        let (secrets, limit) = (&self.setup.secrets, self.setup.start_limit);
        let peer = Peer::new(process, dialect.framing(), secrets);
        let link = WireLink::open(peer, dialect, secrets.clone(), start, limit).await?;
        Ok(Box::new(link))
    }
}

impl Runner for WireRunner {
    fn name(&self) -> &str {
        &self.setup.name
    }

    fn capabilities(&self) -> RunnerCapabilities {
        self.setup.wire.capabilities()
    }

    fn open(
        &self,
        order: RunnerOrder,
    ) -> BoxFuture<'static, Result<Box<dyn RunnerLink>, RunnerError>> {
        self.clone().start(order).boxed()
    }
}
