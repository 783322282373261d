//! The tools of sessions that have runs.

use std::sync::Arc;

use scorel_config::WorkflowConfig;
use scorel_engine::{CallScreen, Tool, ToolList};
use scorel_proto::{ErrorChain, RunMode, RunnerErrorKind, SessionId, TurnError};
use scorel_run_tools::{BoundRun, RunPlaces, RunPolicy, ToolLimits, run_tools, tool_specs};
use scorel_tools::ProjectTools;
use scorel_workflow::run_rules;

use crate::open_run::{BoundPackage, OpenRun};
use crate::run_file::RunFile;
use crate::runs::Runs;

impl RunPlaces for Runs {
    fn bound(&self, session: SessionId) -> Option<Arc<BoundRun>> {
        let (id, mode) = self.memory().bound.get(&session).copied()?;
        let file = self.file(&self.dir(id)).ok()?;
        if file.sessions.last() != Some(&session) {
            return None;
        }
        let bound = self.bound_package(&file).ok()?;
        Some(Arc::new(self.bound_run(&file, &bound, mode)))
    }
}

impl Runs {
    fn bound_run(&self, file: &RunFile, bound: &BoundPackage, mode: RunMode) -> BoundRun {
        BoundRun {
            package: Arc::clone(&bound.package),
            workflow: bound.workflow().id.clone(),
            package_dir: bound.dir.clone(),
            run_dir: self.dir(file.run_id).path().to_owned(),
            mode,
            limits: self.limits(file),
        }
    }

    /// The limits of the configuration of the run's project.
    fn limits(&self, file: &RunFile) -> ToolLimits {
        let project = self.project(file.project_id).ok();
        let config = self
            .config
            .current(project.as_ref().map(|it| it.dir.as_path()));
        let WorkflowConfig {
            allow,
            deny,
            max_read_bytes,
            max_write_bytes,
            mcp,
            ..
        } = config.workflow.clone();
        ToolLimits {
            allow,
            deny,
            max_read_bytes,
            max_write_bytes,
            servers: mcp,
        }
    }

    /// The tools of runs that the current node of a run allows, for the model.
    pub(crate) fn tools_at_node(&self, run: &OpenRun, mode: RunMode) -> Vec<String> {
        let bound = self.bound_run(&run.file, &run.bound, mode);
        let policy = RunPolicy::new(Arc::new(bound), Some(&run.document));
        policy.allowed(run.node_id(), &tool_specs())
    }

    /// Checks that a foreign agent may answer in a session: it has no tools on the run's files, so it cannot move a run.
    ///
    /// # Errors
    /// The session is in run mode.
    pub fn admits_runner(&self, session: SessionId) -> Result<(), TurnError> {
        let Some(run) = self.bound(session).filter(|run| run.mode == RunMode::Run) else {
            return Ok(());
        };
        let id = run
            .run_dir
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Err(TurnError {
            code: RunnerErrorKind::Unsuitable.name().to_owned(),
            message: "a workflow run needs the runner `scorel`".to_owned(),
            retryable: false,
            hint: Some(format!(
                "`scorelctl run set {id} --mode chat` has messages be for anything but the run"
            )),
            resets_at: None,
            sizes: None,
        })
    }

    /// The tools of a turn of a session that has a run; none for another. Reads files; blocks.
    ///
    /// # Errors
    /// Why the run cannot go on. The turn ends with it, before its first model call.
    pub fn turn_tools(
        &self,
        session: SessionId,
        project: &ProjectTools,
    ) -> Result<Vec<Arc<dyn Tool>>, TurnError> {
        self.check_turn(session)?;
        let found = run_tools(self, session, project).map_err(|error| TurnError {
            code: "filesystem_error".to_owned(),
            message: ErrorChain(&error).to_string(),
            retryable: false,
            hint: None,
            resets_at: None,
            sizes: None,
        })?;
        let Some(found) = found else {
            self.memory().tools.remove(&session);
            return Ok(Vec::new());
        };
        let list = found.list();
        self.memory().tools.insert(session, Arc::new(found));
        Ok(list)
    }

    /// The screen that refuses calls of tools which the current node does not allow. To be asked after the tools.
    pub fn turn_screen(&self, session: SessionId) -> Option<Arc<dyn CallScreen>> {
        let memory = self.memory();
        memory.tools.get(&session).map(|tools| tools.screen())
    }

    /// The rules of a run for the model, with the tools that it is offered. To be asked after the tools.
    pub fn turn_rules(&self, session: SessionId, offered: &ToolList) -> Option<String> {
        let tools = self.memory().tools.get(&session).cloned()?;
        Some(run_rules(&tools.policy().shown(offered.specs())))
    }
}
