mod engine_turn;
mod hook_source;
mod new_turn;
mod offered;
mod own_tools;
mod run_tools;
mod runner_turn;
mod session_state;
mod tool_source;
mod turn_error;
mod turn_tools;
mod workplaces;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_config::{Config, ConfigSource};
use scorel_engine::Provider;
use scorel_fetch::{FetchLimits, Fetcher, SystemLookup};
use scorel_guidance::skills::Skills;
use scorel_home::ProjectRegistry;
use scorel_journal::Blobs;
use scorel_models::Models;
use scorel_proto::{ProjectId, TurnError};
use scorel_session::{
    PreparedTurn, SessionHeader, SessionResources, TitleAnswer, TitleRequest, TurnRequest,
    TurnSetup,
};
use scorel_tools::{OpenProjects, ProjectTools};
use scorel_workplace::worktrees::work_dir;
use tokio_util::sync::CancellationToken;

use crate::runners::HostRunners;
use crate::session_blobs::SessionBlobs;
use crate::titles;
use new_turn::NewTurn;
use scorel_gate::{CommandPlace, Gate, GateChannel, GateSettings, Grants};
use session_state::{PrepareTurn, SessionState};
use turn_error::config_error;
use workplaces::Workplaces;

pub use hook_source::{HookSource, HookTurn};
pub(crate) use own_tools::own_sources;
pub(crate) use run_tools::RunToolSource;
pub use tool_source::{ToolPlace, ToolSource};
pub(crate) use turn_error::turn_error;

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

    /// A model to write summaries. One that cannot be used is no reason to stop: another takes its place.
    fn usable_model(&self, config: &Config, name: &str, blobs: Blobs) -> Option<Arc<dyn Provider>> {
        let blobs = Arc::new(SessionBlobs(blobs));
        let provider = self.models.provider(config, Some(name), blobs);
        let warn =
            |error| tracing::warn!(model = name, %error, "a model for summaries is not used");
        provider.map_err(warn).ok()
    }

    /// The gate of one turn.
    fn gate(&self, turn: &NewTurn<'_>, place: CommandPlace) -> Result<Gate, TurnError> {
        let NewTurn {
            request,
            config,
            dir,
            ..
        } = *turn;
        let granted = self.grants.of(request.project_id).map_err(config_error)?;
        let granted = granted.iter().chain(&request.allowed);
        let (permissions, commands) = (&config.permissions, &self.places.commands);
        let channel = request.channel.as_ref();
        let settings = GateSettings {
            mode: turn.mode(),
            channel: channel.map(|it| GateChannel::of(it, permissions.mode)),
            rules: permissions.rules.with_granted(granted),
            base_dirs: commands.base_dirs(dir),
            timeout: permissions.timeout,
            allow_at_timeout: permissions.allow_at_timeout,
            commands: place,
            hides_denied: commands.hides_denied(),
        };
        Ok(Gate::new(settings).hiding(commands.hidden(config, dir)))
    }

    /// Where the session's own commands run.
    fn command_place(&self) -> CommandPlace {
        if self.places.commands.has_sandbox() {
            CommandPlace::Sandbox
        } else {
            CommandPlace::Unsandboxed
        }
    }

    fn tool_place(&self, turn: &NewTurn<'_>, project: Arc<ProjectTools>) -> ToolPlace {
        ToolPlace {
            session_id: turn.request.session_id,
            project_id: turn.request.project_id,
            turn_id: turn.request.turn_id,
            directory: turn.dir.to_owned(),
            project,
            blobs: turn.blobs(),
            fetcher: self.fetcher.allowing(&turn.config.tools.fetch_private),
        }
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
        let dir = work_dir(&project, request.worktree.as_ref());
        let dir = dir.map_err(|gone| {
            // A directory that is at its path later may be a different one.
            session.end_if_idle();
            gone.turn_error()
        })?;
        // That of the project, also in a worktree of it: a person has written it there.
        let config = self.places.config_of(&project);
        let turn = NewTurn {
            session,
            request,
            config: &config,
            dir: &dir,
            project: Path::new(&project.work_dir),
            stop,
        };
        match &request.runner {
            None => self.engine_turn(&turn),
            Some(name) => self.runner_turn(&turn, name),
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
