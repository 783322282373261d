use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use scorel_config::ConfigSource;
use scorel_engine::{HookChain, ToolList};
use scorel_home::ProjectRegistry;
use scorel_orchestrator::{AgentHost, AgentPolicy, ProjectAgents, RunUse};
use scorel_proto::{AgentTaskId, ProjectId, SessionWorktree, WorktreeOwner};
use scorel_runs::Runs;
use scorel_session::SessionHeader;
use scorel_workplace::worktrees::{Worktrees, work_dir};

use crate::turns::{HookSource, HookTurn};

/// The agents of the configuration, with the projects' quotas, as the orchestrator needs them.
#[derive(Debug)]
pub(crate) struct ConfiguredAgents {
    pub(crate) config: Arc<ConfigSource>,
    pub(crate) projects: Arc<ProjectRegistry>,
    pub(crate) worktrees: Arc<Worktrees>,
    pub(crate) runs: Arc<Runs>,
    /// Those of the turns, once sessions are open.
    pub(crate) hooks: Arc<OnceLock<Vec<Arc<dyn HookSource>>>>,
}

impl AgentHost for ConfiguredAgents {
    fn agents(&self, project_id: Option<ProjectId>) -> ProjectAgents {
        let project = project_id.and_then(|id| self.projects.get(id));
        let dir = project.map(|project| PathBuf::from(project.work_dir));
        let config = self.config.current(dir.as_deref());
        let quota = |name: &str| {
            let of_project = project_id.map(|id| self.projects.quota(id, name));
            of_project.unwrap_or_default()
        };
        let policy = |(name, settings): (&String, &scorel_config::AgentSettings)| {
            let policy = AgentPolicy {
                config: settings.config.clone(),
                quota: quota(name),
                cap: settings.quota_cap,
            };
            (name.clone(), policy)
        };
        ProjectAgents {
            agents: config.agents.iter().map(policy).collect(),
            limits: config.orchestrator,
        }
    }

    fn hooks(&self, session: &SessionHeader, tools: &ToolList) -> Result<HookChain, String> {
        let project = self.projects.get(session.project_id);
        let project = project.ok_or_else(|| "the project is not registered any more".to_owned())?;
        let agent = session.agent.as_ref();
        let directory = work_dir(&project, session.worktree()).map_err(|gone| gone.to_string())?;
        let project = Path::new(&project.work_dir);
        let config = self.config.current(Some(project));
        let turn = HookTurn {
            session_id: session.session_id,
            project_id: session.project_id,
            turn_id: None,
            directory: &directory,
            project,
            agent,
            runner: None,
            tools,
            config: &config,
            mode: config.permissions.mode,
        };
        let sources = self.hooks.get().ok_or("the daemon starts")?;
        Ok(turn.chain(sources, []))
    }

    fn worktree(
        &self,
        project_id: ProjectId,
        runtime_id: AgentTaskId,
        title: &str,
        beside: Option<&SessionWorktree>,
    ) -> Result<SessionWorktree, String> {
        let project = self.projects.get(project_id);
        let project = project.ok_or_else(|| "the project is not registered any more".to_owned())?;
        let owner = WorktreeOwner::RuntimeId(runtime_id);
        let made = self.worktrees.make(&project, owner, title, beside);
        made.map_err(|error| error.to_string())
    }

    fn reached_limit(&self, used: &RunUse) -> Option<u64> {
        let RunUse {
            run_id,
            session_id,
            spent,
        } = *used;
        self.runs.reached_limit(run_id, session_id, spent)
    }

    fn left_undone(&self, worktree: &SessionWorktree) -> Option<String> {
        self.worktrees.left_undone(Path::new(&worktree.path))
    }
}
