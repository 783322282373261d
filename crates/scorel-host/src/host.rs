mod open;
mod processes;
mod status;

use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use scorel_config::{Config, ConfigSource, ConfigWatch};
use scorel_guidance::extensions::Extensions;
use scorel_guidance::mcp::McpServers;
use scorel_guidance::skills::Skills;
use scorel_guidance::trust::TrustStore;
use scorel_home::receipts::HostReceipts;
use scorel_home::{Device, Home, ProjectRegistry, SecretStore, now_ms};
use scorel_inbound::{Cron, CronPort};
use scorel_journal::FileStorage;
use scorel_models::Models;
use scorel_orchestrator::Orchestrator;
use scorel_proto::{
    ActiveSession, ChannelKind, DaemonManager, ErrorCode, HostEvent, Phase, RpcError, SessionId,
};
use scorel_rpc::Load;
use scorel_runs::Runs;
use scorel_search::SearchIndex;
use scorel_session::{SessionError, Sessions, TokioClock};
use scorel_workplace::worktrees::Worktrees;
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;

pub use open::HostParts;

use crate::client_names::ClientNames;
use crate::commands::Commands;
use crate::extensions::{CommandHooks, HookRegistry};
use crate::followers::Followers;
use crate::mcp_clients::McpClients;
use crate::programs::ExtensionPrograms;
use crate::project_items::ProjectItems;
use crate::runners::HostRunners;
use crate::shutdown::Shutdown;
use scorel_file_finder::FileFinder;
use scorel_metrics::{Executable, Metrics};

/// The context of every method: one machine with its projects, models and sessions.
///
/// It owns the sessions, and they own the turn set-up, which has only a weak handle back.
pub struct Host {
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) projects: Arc<ProjectRegistry>,
    pub(crate) receipts: HostReceipts,
    pub(crate) config: Arc<ConfigSource>,
    pub(crate) secrets: Arc<SecretStore>,
    pub(crate) models: Arc<Models>,
    pub(crate) trust: Arc<TrustStore>,
    pub(crate) skills: Skills,
    pub(crate) extensions: Extensions,
    pub(crate) mcp_servers: McpServers,
    pub(crate) commands: Commands,
    pub(crate) project_items: ProjectItems,
    pub(crate) runners: Arc<HostRunners>,
    pub(crate) runs: Arc<Runs>,
    pub(crate) programs: Arc<ExtensionPrograms>,
    pub(crate) mcp_clients: Arc<McpClients>,
    pub(crate) hooks: Arc<HookRegistry>,
    pub(crate) command_hooks: Arc<CommandHooks>,
    pub(crate) orchestrator: Arc<Orchestrator>,
    /// Held while a project's orchestrator is looked for and made.
    pub(crate) opening: tokio::sync::Mutex<()>,
    /// Held while a file is imported.
    pub(crate) importing: tokio::sync::Mutex<()>,
    /// Held while garbage is looked for.
    pub(crate) collecting: tokio::sync::Mutex<()>,
    pub(crate) worktrees: Arc<Worktrees>,
    pub(crate) files: FileFinder,
    pub(crate) client_names: ClientNames,
    /// Has to be told of new records.
    pub(crate) search: Arc<SearchIndex>,
    /// Has a place for each search that runs.
    pub(crate) searching: Semaphore,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) followers: Arc<Followers>,
    pub(crate) device: Device,
    pub(crate) manager: DaemonManager,
    pub(crate) home: PathBuf,
    pub(crate) started_at: u64,
    pub(crate) shutdown: Shutdown,
    pub(crate) executable: Option<Arc<Executable>>,
    /// Set once the RPC service exists, which is made after the host.
    pub(crate) load: OnceLock<Load>,
    /// Set with the methods, by which their messages are sent.
    schedules: OnceLock<Arc<Cron>>,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("home", &self.home)
            .finish_non_exhaustive()
    }
}

/// The sessions of a home that are not recovered any more, since daemons of this version have died of it,
/// each with the file to remove for another try. Blocks on the disk.
pub fn given_up_sessions(home: &Home) -> Vec<(SessionId, PathBuf)> {
    let version = env!("CARGO_PKG_VERSION");
    scorel_session::given_up_sessions(&FileStorage, &home.sessions(), version, now_ms())
}

impl Host {
    pub const fn sessions(&self) -> &Arc<Sessions> {
        &self.sessions
    }

    /// Loads the sessions that the last daemon left with work, lets agents begin what waits, and has the
    /// search index brought up to date. To be spawned: the daemon serves clients meanwhile.
    pub async fn recover(&self) {
        Arc::clone(&self.sessions).recover().await;
        self.orchestrator.start();
        if let Err(error) = self.search.start() {
            tracing::warn!(%error, "there is no search index");
        }
        self.sessions.check_index().await;
    }

    /// Has running turns stop at their next step boundaries, for the next daemon, and waits until they
    /// have, for `[service] parkSeconds` at most. Returns whether all have.
    pub async fn park(&self) -> bool {
        self.sessions.park(self.config().service.park).await
    }

    /// Returns whether nothing is under way and no client is connected, so that the daemon could end unnoticed.
    pub fn is_idle(&self) -> bool {
        let is_busy = |session: &ActiveSession| session.phase != Phase::Failed;
        let channels = &self.config().channels;
        let has_schedules = channels.is_enabled(ChannelKind::Cron) && !channels.cron.is_empty();
        let connections = self.load.get().map_or(0, Load::connections);
        connections == 0
            && !has_schedules
            && !self.sessions.overview().active.iter().any(is_busy)
            && self.orchestrator.open_runtimes().is_empty()
    }

    /// Stops the programs of extensions, and servers, and waits for their ends.
    pub async fn stop_programs(&self) {
        tokio::join!(self.programs.close(), self.mcp_clients.close());
    }

    /// Has schedules send their messages through `port`. Only the first counts.
    pub(crate) fn open_schedules(&self, port: Arc<dyn CronPort>) {
        let clock = Arc::new(TokioClock::new());
        let (path, config) = (self.home.join("channels.json"), Arc::clone(&self.config));
        let cron = Cron::new(path, clock, config, port);
        let _is_first = self.schedules.set(Arc::new(cron)).is_ok();
    }

    /// The schedules.
    ///
    /// # Errors
    /// The daemon opens.
    pub(crate) fn schedules(&self) -> Result<Arc<Cron>, RpcError> {
        let opening = || RpcError::new(ErrorCode::Overloaded, "the daemon is not open yet");
        self.schedules.get().cloned().ok_or_else(opening)
    }

    /// Sends the messages of schedules until `closing` is cancelled. To be spawned.
    pub fn run_schedules(
        &self,
        closing: CancellationToken,
    ) -> impl Future<Output = ()> + Send + use<> {
        let schedules = self.schedules();
        async move {
            if let Ok(schedules) = schedules {
                schedules.run(closing).await;
            }
        }
    }

    /// The current configuration, without a project's.
    pub fn config(&self) -> Arc<Config> {
        self.config.current(None)
    }

    /// Watches the files of the configuration until `closing` is cancelled, and tells host subscribers
    /// what changes. `socket` is rung when something happens to the daemon's socket. To be spawned.
    pub fn watch(
        &self,
        home: &Home,
        socket: Arc<Notify>,
        closing: CancellationToken,
    ) -> impl Future<Output = ()> + Send + use<> {
        let watch = ConfigWatch::new(
            Arc::clone(&self.config),
            Arc::clone(&self.projects),
            Arc::clone(&self.sessions),
            home.env(),
            (home.socket(), socket),
        );
        watch.run(closing)
    }

    /// Sets the load of the RPC service, for `getStatus`. Only the first call counts.
    pub fn set_load(&self, load: Load) {
        let _unset = self.load.set(load);
    }

    /// The snapshot with which a host subscription begins.
    pub(crate) async fn snapshot(&self) -> Result<(u64, HostEvent), SessionError> {
        let read = || {
            let runtimes = self.orchestrator.open_runtimes();
            (self.projects.list(), runtimes, self.client_names.list())
        };
        self.sessions.snapshot(read).await
    }
}
