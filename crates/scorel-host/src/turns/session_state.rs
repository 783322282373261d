//! The state that is kept for a loaded session.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use futures_util::future::BoxFuture;
use scorel_config::Config;
use scorel_files::FileRecorder;
use scorel_guidance::instructions::DeeperGuides;
use scorel_proto::{CompactionFacts, Context, ErrorChain, TurnError};
use scorel_session::{PreparedTurn, SessionHeader, SessionResources, TurnRequest};
use scorel_tool_set::ToolSets;
use scorel_tools::{ProjectTools, Root, Roots, ToolHost, compaction_facts};
use scorel_workplace::worktrees::work_dir;
use tokio_util::sync::CancellationToken;

use super::turn_error::turn_error;
use super::workplaces::Workplaces;
use crate::session_blobs::SessionBlobs;

/// Prepares a turn of a session. Blocks. `stop` fires when the turn does not begin.
pub(super) trait PrepareTurn: Send + Sync {
    fn prepare(
        &self,
        session: &SessionState,
        request: &TurnRequest,
        stop: &CancellationToken,
    ) -> Result<PreparedTurn, TurnError>;
}

/// A session's tools and the recorder of its files, both opened when they are first needed.
pub(super) struct SessionState {
    turns: Arc<dyn PrepareTurn>,
    places: Arc<Workplaces>,
    session: SessionHeader,
    /// The tools of programs that it is offered.
    pub(super) tool_sets: ToolSets,
    /// Held while they are opened and ended, so that there is one of each at a time: the next recorder
    /// has the directory of the one before.
    opened: Mutex<OpenState>,
}

#[derive(Debug, Default)]
struct OpenState {
    tools: Option<SessionTools>,
    /// Shared by tools, restores and recovery, since it counts what it keeps.
    recorder: Option<Arc<FileRecorder>>,
}

/// The session's tools, with what they remember.
#[derive(Debug, Clone)]
pub(super) struct SessionTools {
    pub(super) project: Arc<ProjectTools>,
    pub(super) guides: Arc<DeeperGuides>,
}

impl fmt::Debug for SessionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionState")
            .field("session", &self.session.session_id)
            .finish_non_exhaustive()
    }
}

impl SessionState {
    pub(super) fn new(
        turns: Arc<dyn PrepareTurn>,
        places: Arc<Workplaces>,
        session: &SessionHeader,
    ) -> Self {
        Self {
            turns,
            places,
            session: session.clone(),
            tool_sets: ToolSets::default(),
            opened: Mutex::default(),
        }
    }

    fn opened(&self) -> MutexGuard<'_, OpenState> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tools on the session's directory.
    pub(super) fn tools(
        &self,
        request: &TurnRequest,
        config: &Arc<Config>,
        dir: &Path,
    ) -> Result<SessionTools, TurnError> {
        let places = &*self.places;
        let mut opened = self.opened();
        if let Some(known) = &opened.tools {
            if let Some(recorder) = &opened.recorder {
                recorder.set_limits(config.checkpoints);
            }
            if let Some(commands) = known.project.commands() {
                commands.set(places.commands.settings(config, dir));
            }
            return Ok(known.clone());
        }
        let blobs = Arc::new(SessionBlobs(request.blobs.clone()));
        let project = places.open_projects.open(dir).map_err(|error| {
            let error = ErrorChain(&error);
            let text = format!("the project's directory cannot be used: {error}");
            turn_error("filesystem_error", text)
        })?;
        let recorder = self.recorder(&mut opened, &project, config);
        let host = ToolHost::new(&places.home, blobs)
            .with_umask(places.commands.umask(config, dir))
            .with_recorder(recorder);
        let tools = ProjectTools::on(Roots::new(project), host);
        let project = Arc::new(tools.with_commands(places.commands.open(config, dir)));
        let guides = Arc::new(DeeperGuides::new(project.files().project()));
        let tools = SessionTools { project, guides };
        Ok(opened.tools.insert(tools).clone())
    }

    fn recorder(
        &self,
        opened: &mut OpenState,
        project: &Root,
        config: &Config,
    ) -> Arc<FileRecorder> {
        let make = || {
            let session = self.places.home.join("sessions");
            let session = session.join(self.session.session_id.to_string());
            let recorder = FileRecorder::new(project.project_dir(), &session, config.checkpoints);
            Arc::new(recorder)
        };
        Arc::clone(opened.recorder.get_or_insert_with(make))
    }

    /// Ends what is opened unless a command runs in the background.
    pub(super) fn end_if_idle(&self) {
        if !self.is_running() {
            self.end();
        }
    }
}

impl SessionResources for SessionState {
    fn prepare(
        self: Arc<Self>,
        request: TurnRequest,
    ) -> BoxFuture<'static, Result<PreparedTurn, TurnError>> {
        Box::pin(async move {
            let stop = CancellationToken::new();
            let _dropped = stop.clone().drop_guard();
            let prepare = move || self.turns.prepare(&self, &request, &stop);
            let prepared = scorel_engine::spawn_blocking(prepare).await;
            prepared.unwrap_or_else(|error| Err(turn_error("internal_error", error.to_string())))
        })
    }

    fn leaf_moved(&self) {
        if let Some(tools) = &self.opened().tools {
            tools.project.forget_reads();
        }
    }

    fn facts(&self, messages: &Context) -> CompactionFacts {
        let processes = self.background().into_iter();
        let processes = processes.map(|(id, line)| format!("{id}: {line}"));
        compaction_facts(messages, processes.collect())
    }

    fn background(&self) -> Vec<(String, String)> {
        let opened = self.opened();
        let tools = opened.tools.as_ref();
        let commands = tools.and_then(|tools| tools.project.commands());
        commands.map_or_else(Vec::new, |commands| commands.in_background())
    }

    fn files(&self) -> io::Result<Arc<FileRecorder>> {
        let mut opened = self.opened();
        if let Some(known) = &opened.recorder {
            return Ok(Arc::clone(known));
        }
        let places = &*self.places;
        let project = places.projects.get(self.session.project_id);
        let unregistered = "the project is not registered any more";
        let project =
            project.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, unregistered))?;
        let dir = work_dir(&project, self.session.worktree());
        let dir = dir.map_err(|gone| io::Error::new(io::ErrorKind::NotFound, gone))?;
        let root = places.open_projects.open(&dir);
        let root = root
            .map_err(|error| io::Error::new(error.source.kind(), ErrorChain(&error).to_string()))?;
        let config = places.config_of(&project);
        Ok(self.recorder(&mut opened, &root, &config))
    }

    /// True while something is being opened.
    fn is_running(&self) -> bool {
        let opened = match self.opened.try_lock() {
            Ok(opened) => opened,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => return true,
        };
        let tools = opened.tools.as_ref();
        let commands = tools.and_then(|tools| tools.project.commands());
        commands.is_some_and(|commands| commands.running() > 0)
    }

    fn end(&self) {
        let mut opened = self.opened();
        // Dropping the tools ends their commands.
        opened.tools = None;
        // The copies of the session's files would only take space. A recorder that is in use belongs to a
        // turn or a restore that has begun meanwhile.
        if let Some(recorder) = opened.recorder.take()
            && Arc::strong_count(&recorder) == 1
        {
            recorder.forget_base();
        }
    }
}

impl Drop for SessionState {
    fn drop(&mut self) {
        self.end();
    }
}
