mod hook_source;
mod offered;
mod own_tools;
mod session_state;
mod tool_source;
mod turn_error;
mod workplaces;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_config::{Config, ConfigSource, RuntimeConfig, check_preset};
use scorel_engine::{
    Provider, RetryPolicy, Runner as _, ToolClass, ToolList, TurnLimits, TurnPorts,
};
use scorel_fetch::{FetchLimits, Fetcher, SystemLookup};
use scorel_guidance::instructions::{Access, InstructionSources, guidance, guides, instructions};
use scorel_guidance::skills::{SkillProject, Skills, listing};
use scorel_home::ProjectRegistry;
use scorel_journal::Blobs;
use scorel_models::{Models, WantedModel};
use scorel_proto::{CustomMessageBody, NoticeBody, ProjectId, ThinkingLevel, TurnError};
use scorel_session::{
    CompactionSetup, PreparedEngine, PreparedTurn, SessionHeader, SessionResources, TitleAnswer,
    TitleRequest, TokioClock, TurnBackend, TurnRequest, TurnSetup,
};
use scorel_tools::{OpenProjects, ProjectTools};
use scorel_workplace::worktrees::{summary, work_dir};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::notices;
use crate::permission::{CommandPlace, Gate, GateSettings, Grants};
use crate::runners::{HostRunners, RunnerParts, check_suitable};
use crate::session_blobs::SessionBlobs;
use crate::titles;
use offered::is_offered;
use session_state::{PrepareTurn, SessionState, SessionTools};
use turn_error::{config_error, turn_error};
use workplaces::Workplaces;

pub use hook_source::{HookSource, HookTurn};
pub(crate) use own_tools::own_sources;
pub use tool_source::{ToolPlace, ToolSource};

/// Prepares turns: provider, tools, gate and limits from the configuration, the project and the model.
///
/// Configuration, keys and grants are read for every turn, so a change applies from the next one. A
/// session's tools live as long as it is loaded: which files were read, and background commands, are
/// state of the session.
pub(crate) struct Turns {
    places: Arc<Workplaces>,
    models: Arc<Models>,
    grants: Grants,
    runners: Arc<HostRunners>,
    skills: Skills,
    fetcher: Fetcher,
    sources: Vec<Arc<dyn ToolSource>>,
    hooks: Vec<Arc<dyn HookSource>>,
}

/// Parts of turns that no configuration names.
#[derive(Debug, Default)]
pub struct TurnParts {
    /// Offer tools, in the order in which the model gets them.
    pub sources: Vec<Arc<dyn ToolSource>>,
    /// Look at calls and requests, before the hooks of the daemon's own.
    pub hooks: Vec<Arc<dyn HookSource>>,
}

impl fmt::Debug for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turns").finish_non_exhaustive()
    }
}

impl Turns {
    pub(crate) fn new(
        projects: Arc<ProjectRegistry>,
        config: Arc<ConfigSource>,
        models: Arc<Models>,
        home: &Path,
        runners: Arc<HostRunners>,
        skills: Skills,
        parts: TurnParts,
    ) -> Self {
        Self {
            sources: parts.sources,
            hooks: parts.hooks,
            places: Arc::new(Workplaces {
                projects,
                config,
                home: home.to_owned(),
                commands: Arc::clone(&runners.commands),
                open_projects: OpenProjects::default(),
            }),
            models,
            grants: Grants::new(home.join("grants.json")),
            runners,
            skills,
            fetcher: Fetcher::new(Arc::new(SystemLookup), FetchLimits::default()),
        }
    }

    fn provider(
        &self,
        request: &TurnRequest,
        config: &Config,
    ) -> Result<Arc<dyn Provider>, TurnError> {
        let blobs = Arc::new(SessionBlobs(request.blobs.clone()));
        let provider = self
            .models
            .provider(config, request.model.as_deref(), blobs);
        provider.map_err(config_error)
    }

    /// A model to write summaries. One that cannot be used is no reason to stop: another takes its place.
    fn usable_model(&self, config: &Config, name: &str, blobs: Blobs) -> Option<Arc<dyn Provider>> {
        let blobs = Arc::new(SessionBlobs(blobs));
        let provider = self.models.provider(config, Some(name), blobs);
        let warn =
            |error| tracing::warn!(model = name, %error, "a model for summaries is not used");
        provider.map_err(warn).ok()
    }

    fn thinking(&self, request: &TurnRequest, config: &Config) -> Result<ThinkingLevel, TurnError> {
        let wanted = WantedModel {
            name: request.model.as_deref(),
            level: request.thinking_level,
        };
        self.models.thinking(config, wanted).map_err(config_error)
    }

    /// The gate of one turn.
    fn gate(
        &self,
        request: &TurnRequest,
        config: &Arc<Config>,
        dir: &Path,
        place: CommandPlace,
    ) -> Result<Gate, TurnError> {
        let granted = self.grants.of(request.project_id).map_err(config_error)?;
        let granted = granted.iter().chain(&request.allowed);
        let (permissions, commands) = (&config.permissions, &self.places.commands);
        let settings = GateSettings {
            mode: permissions.mode,
            rules: permissions.rules.with_granted(granted),
            base_dirs: commands.base_dirs(dir),
            timeout: permissions.timeout,
            allow_at_timeout: permissions.allow_at_timeout,
            commands: place,
            hides_denied: commands.hides_denied(),
        };
        Ok(Gate::new(settings).hiding(commands.hidden(config, dir)))
    }

    /// A turn of the daemon's own engine.
    fn engine_turn(
        &self,
        session: &SessionState,
        request: &TurnRequest,
        config: &Arc<Config>,
        dir: &Path,
        stop: &CancellationToken,
    ) -> Result<PreparedTurn, TurnError> {
        let thinking = self.thinking(request, config)?;
        let provider = self.provider(request, config)?;
        let SessionTools { project, guides } = session.tools(request, config, dir)?;
        guides.set_epoch(request.known.epoch);
        let place = self.tool_place(request, config, dir, project);
        let (tools, late) = self.offered_tools(&place, stop)?;
        let preset = request.tools.unwrap_or(config.tools.preset);
        let tools = tools.only(|spec| is_offered(preset, spec.class));
        let describe = || summary(&self.places.commands, &self.places.config, dir);
        let is_frozen = request.known.snapshot.is_some() && !request.known.refresh;
        let current = instructions(InstructionSources {
            home: &self.places.home,
            project: dir,
            model: provider.model(),
            tools: &tools,
            access: Access {
                mode: config.permissions.mode,
                has_sandbox: self.places.commands.has_sandbox(),
                has_caches: !config.tools.caches.is_empty(),
            },
            beginning: (!is_frozen).then_some(&describe),
            prompt: config.prompt.as_deref(),
            role: agent_type(request)
                .and_then(|name| config.agents.get(name)?.config.prompt.as_deref()),
        });
        let mut guidance = guidance(&request.known, current);
        if tools.get("Skill").is_some() {
            let window = provider.model().context_window;
            guidance
                .messages
                .extend(self.skill_list(request, dir, window)?);
        }
        let gate = Arc::new(self.gate(request, config, dir, self.command_place())?);
        let has_commands = tools.specs().any(|spec| spec.class == ToolClass::Command);
        let mut notices = late;
        if has_commands {
            let has_sandbox = self.places.commands.has_sandbox();
            notices.extend(notices::of_turn(config.permissions.mode, has_sandbox));
        }
        let auxiliary = config.auxiliary.model.as_deref();
        let compaction = CompactionSetup {
            settings: config.compaction,
            auxiliary: auxiliary
                .and_then(|name| self.usable_model(config, name, request.blobs.clone())),
        };
        let project_dir = self.project_dir(request, dir);
        let turn = self.hook_turn(request, dir, &project_dir, &tools, config);
        let hooks = turn.chain(&self.hooks, [guides as _]);
        let ports = TurnPorts {
            provider,
            tools,
            gate,
            hooks,
            clock: Arc::new(TokioClock::new()),
            limits: limits(&config.runtime_of(agent_type(request))),
            retry: RetryPolicy {
                max_attempts: config.runtime.retries.saturating_add(1),
                max_wait: config.runtime.max_wait,
                ..RetryPolicy::default()
            },
            system: String::new(),
            thinking,
        };
        Ok(PreparedTurn {
            backend: TurnBackend::Engine(PreparedEngine {
                ports,
                guidance,
                compaction,
            }),
            notices,
        })
    }

    /// Where the session's own commands run.
    fn command_place(&self) -> CommandPlace {
        if self.places.commands.has_sandbox() {
            CommandPlace::Sandbox
        } else {
            CommandPlace::Unsandboxed
        }
    }

    /// A turn of a foreign agent.
    fn runner_turn(
        &self,
        session: &SessionState,
        request: &TurnRequest,
        name: &str,
        config: &Arc<Config>,
        dir: &Path,
        stop: &CancellationToken,
    ) -> Result<PreparedTurn, TurnError> {
        let found = HostRunners::find(config, name);
        let settings = found.map_err(|unknown| unknown.error().turn_error())?;
        check_preset(name, request.tools).map_err(config_error)?;
        let opened = self.runners.open(config, settings, dir);
        let runner = opened.map_err(|error| error.turn_error())?;
        let mode = config.permissions.mode;
        check_suitable(settings, runner.capabilities(), mode).map_err(|it| it.turn_error())?;
        let SessionTools { project, .. } = session.tools(request, config, dir)?;
        // Hooks may look at what is asked about as at calls of our own tools.
        let place = self.tool_place(request, config, dir, Arc::clone(&project));
        let (tools, _) = self.offered_tools(&place, stop)?;
        let project_dir = self.project_dir(request, dir);
        let turn = self.hook_turn(request, dir, &project_dir, &tools, config);
        let hooks = turn.chain(&self.hooks, []);
        let parts = RunnerParts {
            settings,
            mode,
            project: &project,
            instructions: guides(settings.wire, &self.places.home, dir),
            fetcher: self.fetcher.allowing(&config.tools.fetch_private),
            gate: Arc::new(self.gate(request, config, dir, CommandPlace::Runner)?),
            own_gate: Arc::new(self.gate(request, config, dir, self.command_place())?),
            hooks,
            limits: limits(&config.runtime_of(agent_type(request))),
        };
        Ok(PreparedTurn {
            backend: TurnBackend::Runner(parts.prepared(runner)),
            notices: Vec::new(),
        })
    }

    fn tool_place(
        &self,
        request: &TurnRequest,
        config: &Config,
        dir: &Path,
        project: Arc<ProjectTools>,
    ) -> ToolPlace {
        ToolPlace {
            session_id: request.session_id,
            project_id: request.project_id,
            directory: dir.to_owned(),
            project,
            blobs: Arc::new(SessionBlobs(request.blobs.clone())),
            fetcher: self.fetcher.allowing(&config.tools.fetch_private),
        }
    }

    fn project_dir(&self, request: &TurnRequest, dir: &Path) -> PathBuf {
        let project = self.places.projects.get(request.project_id);
        project.map_or_else(|| dir.to_owned(), |it| PathBuf::from(it.work_dir))
    }

    fn hook_turn<'a>(
        &self,
        request: &'a TurnRequest,
        directory: &'a Path,
        project: &'a Path,
        tools: &'a ToolList,
        config: &'a Config,
    ) -> HookTurn<'a> {
        HookTurn {
            session_id: request.session_id,
            project_id: request.project_id,
            directory,
            project,
            agent: request.agent.as_ref(),
            runner: request.runner.as_deref(),
            tools,
            config,
        }
    }

    /// The tools of all sources. Ends early when `stop` fires: then nothing waits for the turn.
    fn offered_tools(
        &self,
        place: &ToolPlace,
        stop: &CancellationToken,
    ) -> Result<(ToolList, Vec<NoticeBody>), TurnError> {
        // On a blocking thread already, where one hand-over serves all of a preparation.
        Handle::current().block_on(async {
            tokio::select! {
                biased;
                found = tool_source::tools(&self.sources, place) => found,
                () = stop.cancelled() => Err(turn_error("cancelled", "the turn is over")),
            }
        })
    }

    /// What the model is to be told of its skills.
    fn skill_list(
        &self,
        request: &TurnRequest,
        dir: &Path,
        window: u64,
    ) -> Result<Option<CustomMessageBody>, TurnError> {
        let project = skill_project(request.project_id, dir);
        let found = self.skills.find(Some(&project)).map_err(config_error)?;
        Ok(listing(request.known.skills.as_ref(), &found, window))
    }
}

impl PrepareTurn for Turns {
    fn prepare(
        &self,
        session: &SessionState,
        request: &TurnRequest,
        stop: &CancellationToken,
    ) -> Result<PreparedTurn, TurnError> {
        let project = self.places.projects.get(request.project_id);
        let project = project.ok_or_else(|| {
            let message = "the session's project is not registered any more";
            turn_error("project_not_found", message)
        })?;
        let dir = work_dir(&project, request.agent.as_ref());
        let dir = dir.map_err(|gone| {
            // A directory that is at its path later may be a different one.
            session.end_if_idle();
            gone.turn_error()
        })?;
        // That of the project, also in a worktree of it: a person has written it there.
        let config = self.places.config_of(&project);
        match &request.runner {
            None => self.engine_turn(session, request, &config, &dir, stop),
            Some(name) => self.runner_turn(session, request, name, &config, &dir, stop),
        }
    }
}

impl TurnSetup for Turns {
    fn resources(self: Arc<Self>, session: &SessionHeader) -> Arc<dyn SessionResources> {
        let places = Arc::clone(&self.places);
        Arc::new(SessionState::new(self, places, session))
    }

    fn summary_model(
        &self,
        project_id: ProjectId,
        name: &str,
        blobs: Blobs,
    ) -> Option<Arc<dyn Provider>> {
        let project = self.places.projects.get(project_id)?;
        self.usable_model(&self.places.config_of(&project), name, blobs)
    }

    fn title(&self, request: TitleRequest) -> BoxFuture<'static, Option<TitleAnswer>> {
        let (config, models) = (Arc::clone(&self.places.config), Arc::clone(&self.models));
        let project = self.places.projects.get(request.project_id);
        let connect = move || {
            let dir = project.map(|project| PathBuf::from(project.work_dir));
            let config = config.current(dir.as_deref());
            let wanted = config.auxiliary.model.as_deref()?;
            match models.limited(&config, wanted, titles::MAX_TOKENS) {
                Ok(provider) => Some(provider),
                Err(error) => {
                    tracing::warn!(model = wanted, %error, "the auxiliary model cannot be used");
                    None
                }
            }
        };
        Box::pin(async move {
            let provider = scorel_engine::spawn_blocking(connect).await.ok()??;
            Some(titles::title(&*provider, request).await)
        })
    }

    fn allow_always(&self, project_id: ProjectId, rules: &[String]) -> io::Result<()> {
        self.grants.add(project_id, rules)
    }
}

fn skill_project(id: ProjectId, dir: &Path) -> SkillProject {
    SkillProject {
        id,
        dir: dir.to_owned(),
    }
}

/// The agent that works in the session, by its name in the configuration.
fn agent_type(request: &TurnRequest) -> Option<&str> {
    Some(request.agent.as_ref()?.agent_type.as_str())
}

fn limits(config: &RuntimeConfig) -> TurnLimits {
    TurnLimits {
        max_steps: config.max_steps,
        max_duration: config.max_turn,
        max_tokens: config.max_turn_tokens,
        cost: config.cost,
        max_calls_per_answer: config.max_tool_calls,
        ..TurnLimits::default()
    }
}
