//! Commands that change a run besides its turns.

use std::fs;
use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_proto::{
    RebindRunParams, RunId, RunMode, RunPackage, RunStateCause, SessionId, UpdateRunParams,
};
use scorel_session::{Lane, Sessions};
use scorel_workflow::{Append, RunDecision, RunDocument, StateUpdate};
use serde_json::json;

use crate::error::RunError;
use crate::invalid_state::InvalidState;
use crate::open_run::{BoundPackage, OpenRun};
use crate::resume::check_idle;
use crate::runs::{Runs, read_package};
use crate::start::{internal, now};
use crate::states::{record_mode, record_states};

impl Runs {
    /// Changes what a run does by itself, what messages to it are for, or its node: a person is an authority, so any
    /// node that there is will do.
    ///
    /// # Errors
    /// There is no such run or node, or the document cannot be written.
    pub async fn update(
        self: &Arc<Self>,
        sessions: &Arc<Sessions>,
        params: UpdateRunParams,
    ) -> Result<(), RunError> {
        let _changing = self.changing.lock().await;
        let (id, mode) = (params.run_id, params.mode);
        if params.autopilot.is_some() || params.goto.is_some() {
            let runs = Arc::clone(self);
            let changed = spawn_blocking(move || runs.update_document(&params));
            let run = changed.await.map_err(internal)??;
            self.tell(sessions, &run, RunStateCause::Command).await?;
        }
        match mode {
            Some(mode) => self.set_mode(sessions, id, mode).await,
            None => Ok(()),
        }
    }

    fn update_document(&self, params: &UpdateRunParams) -> Result<OpenRun, RunError> {
        let run = self.open_or_lost(params.run_id, params.goto.is_some())?;
        let mut values = Vec::new();
        if let Some(autopilot) = params.autopilot {
            values.push(("autopilot", json!(autopilot)));
        }
        let mut document = run.document.clone();
        if let Some(node) = &params.goto {
            if run.bound.workflow().graph.node(node).is_none() {
                let reason = format!("the workflow has no node `{node}`");
                return Err(RunError::invalid("goto", reason));
            }
            values.push(("currentNodeId", json!(node)));
            document = decided(&run, node)?;
        }
        let document = document.with(&values, &now());
        let document = document.map_err(|error| RunError::StateInvalid(error.into()))?;
        run.dir.write_document(Some(&run.text), &document)?;
        run.reread()
    }

    /// A run whose document can be read; with `may_be_lost` also one that is at a node that there is not.
    fn open_or_lost(&self, id: RunId, may_be_lost: bool) -> Result<OpenRun, RunError> {
        match self.open(id) {
            Err(RunError::StateInvalid(_)) if may_be_lost => {
                let dir = self.dir(id);
                let file = self.file(&dir)?;
                let bound = self.bound_package(&file)?;
                let text = dir.read_document().map_err(RunError::StateInvalid)?;
                let document = RunDocument::parse(text.text.as_str());
                let document = document.map_err(|error| RunError::StateInvalid(error.into()))?;
                Ok(OpenRun {
                    dir,
                    file,
                    bound,
                    text,
                    document,
                })
            }
            opened => opened,
        }
    }

    async fn set_mode(
        self: &Arc<Self>,
        sessions: &Arc<Sessions>,
        id: RunId,
        mode: RunMode,
    ) -> Result<(), RunError> {
        let runs = Arc::clone(self);
        let file = spawn_blocking(move || runs.file(&runs.dir(id)));
        let file = file.await.map_err(internal)??;
        let lane = self
            .lane_of(sessions, file.sessions.last().copied())
            .await?;
        let reason = "the session of the run is gone; `resumeRun` makes another";
        let lane = lane.ok_or_else(|| RunError::invalid("mode", reason))?;
        let set = lane.section(move |section| {
            let known = section.view().state.run.as_ref().map(|run| run.shown.mode);
            match known == Some(mode) {
                true => Ok(()),
                false => record_mode(section, mode),
            }
        });
        Ok(set.await??)
    }

    /// Binds a run to its package as it is installed now, if all nodes are there that the run has been at.
    ///
    /// # Errors
    /// The package cannot run, lacks nodes, is another than the caller expects, or a turn of the run is open.
    pub async fn rebind(
        self: &Arc<Self>,
        sessions: &Arc<Sessions>,
        params: RebindRunParams,
    ) -> Result<(), RunError> {
        let _changing = self.changing.lock().await;
        self.check_idle(sessions, params.run_id).await?;
        let runs = Arc::clone(self);
        let rebound = spawn_blocking(move || runs.bind_again(&params));
        let run = rebound.await.map_err(internal)??;
        self.tell(sessions, &run, RunStateCause::Rebound).await
    }

    fn bind_again(&self, params: &RebindRunParams) -> Result<OpenRun, RunError> {
        let dir = self.dir(params.run_id);
        let mut file = self.file(&dir)?;
        let text = dir.read_document().map_err(RunError::StateInvalid)?;
        let document = RunDocument::parse(text.text.as_str());
        let document = document.map_err(|error| RunError::StateInvalid(error.into()))?;
        let project = self.project(file.project_id)?;
        let (name, installed) = self.find(&file.workflow, Some(&project))?;
        let copy = self.usable_copy(&installed)?;
        if params.digest.as_ref().is_some_and(|it| *it != copy.digest) {
            return Err(RunError::OtherPackage(copy.digest));
        }
        let invalid = |reason| RunError::invalid("runId", reason);
        let reading = read_package(&copy.dir).map_err(invalid)?;
        let package = reading
            .package
            .map_err(|problems| RunError::WorkflowInvalid {
                name: name.to_string(),
                problems,
            })?;
        let version = package.manifest.version.clone();
        let bound = BoundPackage::new(Arc::new(package), &name, copy.dir);
        let bound =
            bound.ok_or_else(|| invalid(format!("the package has no workflow `{name}`")))?;
        let missing = missing_nodes(&bound, &document);
        if !missing.is_empty() {
            return Err(RunError::MissingNodes(missing));
        }
        let workflow = json!({"id": file.workflow, "version": version, "digest": copy.digest});
        let document = document.with(&[("workflow", workflow)], &now());
        let document = document.map_err(|error| RunError::StateInvalid(error.into()))?;
        if document.state().workflow.as_ref().map(|it| &it.digest) != Some(&file.package.digest) {
            dir.write_document(Some(&text), &document)?;
        }
        file.package = RunPackage {
            version,
            digest: copy.digest,
            ..file.package
        };
        dir.file().replace(&file)?;
        OpenRun::read(dir, file, bound)
    }

    /// Brings back the last good state of a run's document. The one that is there is kept beside it.
    ///
    /// # Errors
    /// There is no such run or state, or a turn of the run is open.
    pub async fn repair(
        self: &Arc<Self>,
        sessions: &Arc<Sessions>,
        id: RunId,
    ) -> Result<(), RunError> {
        let _changing = self.changing.lock().await;
        self.check_idle(sessions, id).await?;
        let runs = Arc::clone(self);
        let repaired = spawn_blocking(move || runs.restore_last_good(id));
        let run = repaired.await.map_err(internal)??;
        self.tell(sessions, &run, RunStateCause::Repaired).await
    }

    fn restore_last_good(&self, id: RunId) -> Result<OpenRun, RunError> {
        let dir = self.dir(id);
        if !dir.exists() {
            return Err(RunError::NotFound(id));
        }
        let unusable = |error: InvalidState| RunError::StateInvalid(error.of_last_good());
        let good = dir.read_last_good().map_err(unusable)?;
        let document = RunDocument::parse(good.text.as_str());
        let document = document.map_err(|error| unusable(error.into()))?;
        let path = dir.document();
        if dir.read_document().as_ref() == Ok(&good) {
            return self.open(id);
        }
        if path.symlink_metadata().is_ok() {
            fs::rename(&path, dir.broken()).map_err(RunError::io(&path))?;
        }
        dir.write_document(None, &document)?;
        self.open(id)
    }

    /// Deletes a run with its files. Its sessions stay, as ordinary ones.
    ///
    /// # Errors
    /// There is no such run, or a turn of it is open. One that is gone is no error in a repeated command.
    pub async fn delete(
        self: &Arc<Self>,
        sessions: &Arc<Sessions>,
        id: RunId,
        is_repeated: bool,
    ) -> Result<(), RunError> {
        let _changing = self.changing.lock().await;
        let dir = self.dir(id);
        if !dir.exists() && !is_repeated {
            return Err(RunError::NotFound(id));
        }
        self.check_idle(sessions, id).await?;
        spawn_blocking(move || dir.remove())
            .await
            .map_err(internal)?
    }

    async fn check_idle(
        self: &Arc<Self>,
        sessions: &Arc<Sessions>,
        id: RunId,
    ) -> Result<(), RunError> {
        match self.last_session(id).await {
            Some(last) => match self.lane_of(sessions, Some(last)).await? {
                Some(lane) => check_idle(&lane),
                None => Ok(()),
            },
            None => Ok(()),
        }
    }

    /// The session that a run was given last, as far as its file can be read.
    async fn last_session(self: &Arc<Self>, id: RunId) -> Option<SessionId> {
        self.sessions_of(id).await.pop()
    }

    /// The sessions that a run was given, in their order; none if its file cannot be read.
    pub async fn sessions_of(self: &Arc<Self>, id: RunId) -> Vec<SessionId> {
        let runs = Arc::clone(self);
        let file = spawn_blocking(move || runs.file(&runs.dir(id))).await;
        file.ok()
            .and_then(Result::ok)
            .map_or_else(Vec::new, |file| file.sessions)
    }

    /// Records in the session of a run what has become of its document.
    async fn tell(
        self: &Arc<Self>,
        sessions: &Arc<Sessions>,
        run: &OpenRun,
        cause: RunStateCause,
    ) -> Result<(), RunError> {
        let last = run.file.sessions.last().copied();
        let Some(lane) = self.lane_of(sessions, last).await? else {
            return Ok(());
        };
        tell(&lane, run.clone(), cause).await
    }
}

async fn tell(lane: &Arc<Lane>, run: OpenRun, cause: RunStateCause) -> Result<(), RunError> {
    let told = lane.section(move |section| record_states(section, &run, cause));
    Ok(told.await??)
}

/// The document with the decision of a person to go to a node, where no way of the graph may lead.
fn decided(run: &OpenRun, to: &str) -> Result<RunDocument, RunError> {
    let now = now();
    let decision = RunDecision {
        from: run.node_id().to_owned(),
        to: to.to_owned(),
        label: "goto".to_owned(),
        reason: Some("a person has said so".to_owned()),
        decided_at: Some(now.clone()),
    };
    let update = StateUpdate {
        decision_log: Some(Append {
            append: vec![decision],
        }),
        ..StateUpdate::default()
    };
    let document = run.document.updated(&update, &now);
    document.map_err(|error| RunError::StateInvalid(error.into()))
}

/// The nodes that a document names and a package does not have.
fn missing_nodes(bound: &BoundPackage, document: &RunDocument) -> Vec<String> {
    let state = document.state();
    let named = state.steps_completed.iter().chain([&state.current_node_id]);
    let graph = &bound.workflow().graph;
    let missing = named.filter(|id| !id.is_empty() && graph.node(id).is_none());
    let mut missing: Vec<String> = missing.cloned().collect();
    missing.sort();
    missing.dedup();
    missing
}
