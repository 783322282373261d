//! Wiring the parts of a host.

use std::sync::{Arc, OnceLock, Weak};

use scorel_config::{Config, ConfigSource};
use scorel_exec::{Supervisors, Umask};
use scorel_guidance::extensions::Extensions;
use scorel_guidance::mcp::McpServers;
use scorel_guidance::skills::Skills;
use scorel_guidance::trust::TrustStore;
use scorel_home::receipts::HostReceipts;
use scorel_home::trusted_file::FileProblem;
use scorel_home::{Device, Home, ProjectRegistry, SecretStore};
use scorel_models::Models;
use scorel_orchestrator::{AgentTaskFeature, Orchestrator};
use scorel_proto::DaemonManager;
use scorel_runs::Runs;
use scorel_search::SearchIndex;
use scorel_session::{SessionFeature, SessionSettings, Sessions};
use scorel_workplace::CommandHost;
use scorel_workplace::worktrees::{SupervisedGit, Worktrees};
use tokio::sync::Semaphore;

use super::Host;
use crate::client_names::ClientNames;
use crate::commands::Commands;
use crate::configured_agents::ConfiguredAgents;
use crate::extensions::{CommandHooks, HookRegistry, ListeningHooks, Transcripts};
use crate::listeners::{Asides, ListenerSource, Listeners};
use crate::mcp_clients::McpClients;
use crate::programs::{ExtensionPrograms, ProgramHooks, ProgramMeans};
use crate::project_items::ProjectItems;
use crate::runners::HostRunners;
use crate::shutdown::Shutdown;
use crate::turns::{HookSource, RunToolSource, TurnParts, Turns, own_sources};
use scorel_file_finder::FileFinder;
use scorel_metrics::{Executable, Metrics, TimedStorage};

/// The searches that run at once. They read files and compute, and turns come first.
const SEARCHES: usize = 2;

/// The input of [`Host::open`].
#[derive(Debug)]
pub struct HostParts {
    /// Its sessions directory must exist.
    pub home: Home,
    pub device: Device,
    pub projects: ProjectRegistry,
    pub config: ConfigSource,
    pub secrets: SecretStore,
    pub supervisors: Arc<Supervisors>,
    pub shutdown: Shutdown,
    /// The umask that the daemon was started with; `None` if a service manager started it.
    pub umask: Option<Umask>,
    /// What started the daemon.
    pub manager: DaemonManager,
    /// How many files the process may have open.
    pub descriptors: u64,
    /// Start of the daemon in milliseconds since 1970.
    pub started_at: u64,
    /// Follow sessions, behind the daemon's own features.
    pub features: Vec<Arc<dyn SessionFeature>>,
    /// Tools and hooks that other features than the daemon's own add to turns.
    pub turns: TurnParts,
    /// Hear of what sessions publish.
    pub listeners: Vec<Arc<dyn ListenerSource>>,
}

impl Host {
    /// Wires the parts and reads `receipts.jsonl`. No task is started and no session loaded.
    pub fn open(parts: HostParts) -> Result<Arc<Self>, FileProblem> {
        let home = parts.home;
        let (projects, config) = (Arc::new(parts.projects), Arc::new(parts.config));
        let settings = session_settings(&config.current(None), parts.descriptors);
        let metrics = Arc::new(Metrics::default());
        let models = Models::new(
            Arc::clone(&config),
            parts.secrets,
            home.models(),
            metrics.model_calls().watch(),
        );
        let models = Arc::new(models);
        let commands = CommandHost::new(
            Arc::clone(&parts.supervisors),
            SecretStore::new(home.env()),
            home.root(),
            parts.umask,
            Some(Arc::clone(&projects)),
        );
        let git = SupervisedGit::new(
            Arc::clone(&parts.supervisors),
            Arc::clone(&commands),
            Arc::clone(&config),
        );
        let worktrees = Arc::new(Worktrees::new(home.root(), git));
        let secrets = SecretStore::new(home.env());
        let sockets = home.socket().parent().unwrap_or(home.root()).to_owned();
        let hooks = Arc::new(HookRegistry::default());
        let trust = Arc::new(TrustStore::new(home.trust(), home.store()));
        let extensions = Extensions::new(home.root(), Arc::clone(&trust), Arc::clone(&config));
        let mcp_servers = McpServers::new(
            home.root(),
            Arc::clone(&trust),
            Arc::clone(&config),
            extensions.clone(),
        );
        let asides = Asides::new();
        let transcripts = Transcripts::new(home.root());
        let listening = Arc::new(ListeningHooks::default());
        let command_hooks = Arc::new(CommandHooks::new(
            Arc::clone(&commands),
            Arc::clone(&hooks),
            Arc::clone(&listening),
            Arc::clone(&asides),
            Arc::clone(&transcripts),
            extensions.clone(),
            Arc::clone(&trust),
        ));
        let means = Arc::new(ProgramMeans {
            extensions: extensions.clone(),
            projects: Arc::clone(&projects),
            supervisors: Arc::clone(&parts.supervisors),
            commands: Arc::clone(&commands),
            config: Arc::clone(&config),
            secrets: SecretStore::new(home.env()),
            calls: OnceLock::new(),
        });
        let programs = ExtensionPrograms::new(Arc::clone(&means));
        let mcp_clients = Arc::new(McpClients::new(home.root(), mcp_servers.clone(), means));
        // Commands are told by sessions, which are opened below.
        let hook_sources = Arc::new(OnceLock::new());
        let runners = Arc::new(HostRunners::new(
            parts.supervisors,
            commands,
            secrets,
            sockets,
        ));
        let secrets = Arc::new(SecretStore::new(home.env()));
        let skills = Skills::new(home.root(), Arc::clone(&trust), extensions.clone());
        let runs = Arc::new(Runs::new(
            home.root(),
            Arc::clone(&trust),
            Arc::clone(&projects),
            Arc::clone(&config),
            Arc::clone(&worktrees),
        ));
        let project_items = ProjectItems::new(
            skills.clone(),
            extensions.clone(),
            mcp_servers.clone(),
            Arc::clone(&runs),
            Arc::clone(&config),
        );
        let agents = ConfiguredAgents {
            config: Arc::clone(&config),
            projects: Arc::clone(&projects),
            worktrees: Arc::clone(&worktrees),
            runs: Arc::clone(&runs),
            hooks: Arc::clone(&hook_sources),
        };
        let search = Arc::new(SearchIndex::new(home.search(), home.sessions()));
        // The sessions own turns and features: what these use of the orchestrator is weak.
        let open_sessions = |orchestrator: &Weak<Orchestrator>| {
            let own = own_sources(skills.clone(), Weak::clone(orchestrator));
            asides.tell_sessions_of(orchestrator);
            transcripts.read_sessions_of(orchestrator);
            // Who judges last sees what will run: that is the user's.
            let of_programs = |of_project| {
                let programs = Arc::clone(&programs);
                Arc::new(ProgramHooks {
                    programs,
                    of_project,
                })
            };
            let of_all: [Arc<dyn HookSource>; 4] = [
                of_programs(true),
                Arc::clone(&command_hooks) as _,
                of_programs(false),
                Arc::clone(&mcp_clients) as _,
            ];
            let of_all: Vec<_> = parts.turns.hooks.into_iter().chain(of_all).collect();
            let hook_sources = hook_sources.get_or_init(|| of_all).clone();
            let listeners: [Arc<dyn ListenerSource>; 2] = [listening, Arc::clone(&programs) as _];
            let listeners = listeners.into_iter().chain(parts.listeners).collect();
            let turns = Turns::new(
                Arc::clone(&projects),
                Arc::clone(&config),
                Arc::clone(&models),
                home.root(),
                Arc::clone(&runners),
                skills.clone(),
                TurnParts {
                    sources: own
                        .into_iter()
                        .chain([Arc::new(RunToolSource {
                            runs: Arc::clone(&runs),
                            orchestrator: Weak::clone(orchestrator),
                        }) as _])
                        .chain(parts.turns.sources)
                        .chain([Arc::clone(&programs) as _, Arc::clone(&mcp_clients) as _])
                        .collect(),
                    hooks: hook_sources,
                },
            );
            let own: [Arc<dyn SessionFeature>; 5] = [
                Arc::clone(&runs) as _,
                Arc::new(AgentTaskFeature::new(Weak::clone(orchestrator))),
                Arc::clone(&search) as _,
                Arc::clone(&metrics) as _,
                Arc::new(Listeners::new(listeners, Arc::clone(&asides))),
            ];
            Sessions::new(
                home.sessions(),
                (home.index(), home.active()),
                (parts.device.id, env!("CARGO_PKG_VERSION").to_owned()),
                Arc::new(TimedStorage::new(metrics.fsync().clone())),
                settings,
                Arc::new(turns),
                own.into_iter().chain(parts.features).collect(),
            )
        };
        let orchestrator = Orchestrator::new(Arc::new(agents), open_sessions);
        Ok(Arc::new(Self {
            sessions: Arc::clone(orchestrator.sessions()),
            projects,
            receipts: HostReceipts::open(&home.receipts())?,
            config,
            secrets,
            models,
            trust,
            project_items,
            commands: Commands::new(
                extensions.clone(),
                skills.clone(),
                Arc::clone(&programs),
                Arc::clone(&runs),
            ),
            extensions,
            skills,
            runners,
            runs,
            programs,
            mcp_servers,
            mcp_clients,
            hooks,
            command_hooks,
            orchestrator,
            opening: tokio::sync::Mutex::default(),
            importing: tokio::sync::Mutex::default(),
            collecting: tokio::sync::Mutex::default(),
            worktrees,
            files: FileFinder::default(),
            client_names: ClientNames::default(),
            search,
            searching: Semaphore::new(SEARCHES),
            metrics,
            followers: Arc::default(),
            device: parts.device,
            manager: parts.manager,
            home: home.root().to_owned(),
            started_at: parts.started_at,
            shutdown: parts.shutdown,
            executable: Executable::of_this_process().map(Arc::new),
            load: OnceLock::new(),
            schedules: OnceLock::new(),
        }))
    }
}

/// The part of the descriptors that loaded sessions may hold. An idle one holds its log, and possibly
/// a project that no other session has open; the rest is for connections, turns and commands.
const SESSIONS_PART: u64 = 4;

fn session_settings(config: &Config, descriptors: u64) -> SessionSettings {
    SessionSettings {
        max_loaded: usize::try_from(descriptors / SESSIONS_PART).unwrap_or(usize::MAX),
        durability: config.sessions.durability,
        ring_bytes: config.sessions.ring_bytes,
        idle_unload: config.sessions.idle_unload,
        trash_keep: config.sessions.trash_keep,
        on_restart: config.runtime.on_restart,
        ..SessionSettings::default()
    }
}

#[cfg(test)]
mod tests;
