use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use scorel_engine::spawn_blocking;
use scorel_home::{FormatVersion, now_ms};
use scorel_proto::{
    AgentWorkspace, Block, ClientId, CommandId, ProjectId, RunId, RunIntent, RunMode, RunPackage,
    RunSpent, RunStartedData, RunStateCause, SendMessageResult, Seq, SessionId, SessionKind,
    SessionWorktree, StartRunParams, TextPart, WhileRunning, WorktreeOwner,
};
use scorel_session::{Lane, MutationCommand, NewSession, SendRequest, Sessions};
use scorel_workflow::{Package, RunDocument, Workflow};
use scorel_workplace::worktrees::WorktreeError;
use serde_json::{Value, json};

use crate::check::plan;
use crate::error::RunError;
use crate::invalid_state::InvalidState;
use crate::open_run::{BoundPackage, OpenRun};
use crate::run_dir::RunDir;
use crate::run_file::RunFile;
use crate::runs::{Runs, read_package};
use crate::states::record_states;

/// The ids of a command about a run, made before it is carried out: a repeated one uses them again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunIds {
    pub run_id: RunId,
    /// Of the session that the command makes, if it makes one.
    pub session_id: SessionId,
}

/// A run that goes on, with the message that has it do so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StartedRun {
    pub run_id: RunId,
    pub session_id: SessionId,
    pub seq: Seq,
}

impl Runs {
    /// Starts a run. Each step finds out whether it was taken before, so a repeated command completes it.
    ///
    /// # Errors
    /// There is no such workflow, it is not the one that was shown, or something cannot be written.
    pub async fn start(
        self: &Arc<Self>,
        sessions: &Arc<Sessions>,
        ids: RunIds,
        params: StartRunParams,
    ) -> Result<StartedRun, RunError> {
        let _changing = self.changing.lock().await;
        let runs = Arc::clone(self);
        let made = spawn_blocking(move || runs.make_whole(ids, &params).map(|run| (run, params)));
        let (run, params) = made.await.map_err(internal)??;
        let title = run.bound.package.manifest.name.clone();
        let new = NewSession {
            model: params.model,
            title: Some(title),
            ..new_session(&run.file, run.file.project_id)
        };
        sessions.create_as(ids.session_id, new).await?;
        let lane = sessions.get(ids.session_id).await?;
        let first = (None, RunSpent::default());
        self.join(&lane, &run, first, RunStateCause::Started)
            .await?;
        let content = opening(RunIntent::Start, params.input);
        let seq = send(&lane, command_id("start", ids.session_id)?, content).await?;
        Ok(StartedRun {
            run_id: ids.run_id,
            session_id: ids.session_id,
            seq,
        })
    }

    /// The files of a new run. If it cannot be made, no worktree of it is left.
    fn make_whole(&self, ids: RunIds, params: &StartRunParams) -> Result<OpenRun, RunError> {
        let made = self.make(ids, params);
        let owner = WorktreeOwner::RunId(ids.run_id);
        if made.is_err()
            && params.workspace == Some(AgentWorkspace::Worktree)
            && !self.is_made(ids.run_id)
            && let Err(error) = self.worktrees.remove(owner, true)
            && !matches!(error, WorktreeError::NotFound(_))
        {
            tracing::warn!(run = %ids.run_id, %error, "the worktree of a run that is not made is left");
        }
        made
    }

    fn is_made(&self, id: RunId) -> bool {
        let file = self.dir(id).file().read();
        file.is_ok_and(|file| file.is_some())
    }

    /// The files of a new run; those of one that an earlier attempt made are left as they are.
    fn make(&self, ids: RunIds, params: &StartRunParams) -> Result<OpenRun, RunError> {
        let dir = self.dir(ids.run_id);
        if self.is_made(ids.run_id) {
            return self.open(ids.run_id);
        }
        let project = self.project(params.project_id)?;
        let (name, installed) = self.find(&params.workflow, Some(&project))?;
        let copy = self.usable_copy(&installed)?;
        let (package, workflow) = self.confirmed(&copy.dir, &name, params)?;
        let agent = params.agent_id.as_ref();
        if agent.is_some_and(|id| !package.agents.iter().any(|it| it.id == *id)) {
            let reason = "the package has no agent of this id; its plan lists them";
            return Err(RunError::invalid("agentId", reason));
        }
        let mut file = RunFile {
            version: FormatVersion,
            run_id: ids.run_id,
            project_id: params.project_id,
            package: RunPackage {
                id: name.package.to_string(),
                version: package.manifest.version.clone(),
                digest: copy.digest,
            },
            workflow: name.to_string(),
            sessions: vec![ids.session_id],
            worktree: None,
            created_at: now_ms(),
        };
        let document = first_document(&copy.dir, &package.workflows[workflow], &file, params)?;
        if params.workspace == Some(AgentWorkspace::Worktree) {
            file.worktree = Some(self.make_worktree(&file, &package.manifest.name)?);
        }
        write_files(&dir, &document, &file)?;
        let bound = BoundPackage {
            package: Arc::new(package),
            workflow,
            dir: copy.dir,
        };
        OpenRun::read(dir, file, bound)
    }

    /// The worktree of a new run, or the one that an earlier attempt has made.
    fn make_worktree(&self, file: &RunFile, title: &str) -> Result<SessionWorktree, RunError> {
        let project = self.projects.get(file.project_id);
        let project = project.ok_or(RunError::ProjectNotFound(file.project_id))?;
        let owner = WorktreeOwner::RunId(file.run_id);
        Ok(self.worktrees.make(&project, owner, title, None)?)
    }

    /// The package of a copy, with the place of the workflow in it, if it is what the person has seen.
    fn confirmed(
        &self,
        dir: &Path,
        name: &crate::workflow_name::WorkflowName,
        params: &StartRunParams,
    ) -> Result<(Package, usize), RunError> {
        let broken = |reason: String| RunError::WorkflowNotFound {
            name: name.to_string(),
            suggestion: None,
            reason: Some(reason),
        };
        let reading = read_package(dir).map_err(broken)?;
        let package = reading
            .package
            .map_err(|problems| RunError::WorkflowInvalid {
                name: name.to_string(),
                problems,
            })?;
        let wanted = package.workflow(name.workflow.as_deref());
        let wanted =
            wanted.ok_or_else(|| broken("the package has no workflow of this id".to_owned()))?;
        let digest = plan(&package, wanted).digest();
        if digest != params.confirm {
            return Err(RunError::OtherPlan { digest });
        }
        let is_it = |it: &Workflow| std::ptr::eq(it, wanted);
        let at = package.workflows.iter().position(is_it).unwrap_or_default();
        Ok((package, at))
    }

    /// Records in a session that it has the run from now on, and the state of the document.
    pub(crate) async fn join(
        self: &Arc<Self>,
        lane: &Arc<Lane>,
        run: &OpenRun,
        (resumed_from, spent): (Option<SessionId>, RunSpent),
        cause: RunStateCause,
    ) -> Result<(), RunError> {
        self.bind(lane.id(), run.file.run_id, RunMode::Run);
        let started = RunStartedData {
            run_id: run.file.run_id,
            package: run.file.package.clone(),
            workflow: run.file.workflow.clone(),
            autopilot: run.state().autopilot,
            resumed_from,
            spent,
        };
        let run = run.clone();
        let joined = lane.section(move |section| {
            let known = section.view().state.run.clone();
            if known.is_none() {
                crate::states::record_started(section, &started)?;
            }
            record_states(section, &run, cause)
        });
        Ok(joined.await??)
    }
}

/// A session for a run.
pub(crate) fn new_session(file: &RunFile, project_id: ProjectId) -> NewSession {
    NewSession {
        project_id,
        kind: SessionKind::Workflow,
        parent: None,
        client_id: ClientId::Daemon,
        title: None,
        agent: None,
        run: Some(file.run_id),
        worktree: file.worktree.clone(),
        model: None,
        runner: None,
        thinking_level: None,
        tools: None,
    }
}

/// The message that begins a turn by the daemon's own will. The directive takes its place when the turn begins.
pub(crate) fn opening(intent: RunIntent, input: Option<String>) -> Vec<Block> {
    let directive = Block::part(TextPart::RunDirective, intent.name());
    let input = input.filter(|text| !text.trim().is_empty());
    std::iter::once(directive)
        .chain(input.map(Block::text))
        .collect()
}

/// The id of a message that a command sends, by a name that no other command has.
pub(crate) fn command_id(verb: &str, id: SessionId) -> Result<CommandId, RunError> {
    let id = format!("{verb}-{id}").parse::<CommandId>();
    id.map_err(|error| RunError::Internal(error.to_string()))
}

/// Sends a message once, whatever crashes in between. It is for the run, also in a session whose messages are not.
pub(crate) async fn send(
    lane: &Arc<Lane>,
    id: CommandId,
    content: Vec<Block>,
) -> Result<Seq, RunError> {
    let command = MutationCommand::new(ClientId::Daemon, Some(id), "run", &());
    let other = lane.view(|view| {
        let run = view.state.run.as_ref();
        run.is_some_and(|run| run.shown.mode != RunMode::Run)
    });
    let request = SendRequest {
        command,
        content,
        while_running: WhileRunning::FollowUp,
        parent_event_id: None,
        expected_leaf_id: None,
        model: None,
        runner: None,
        mode: other.then_some(RunMode::Run),
        channel: None,
    };
    Ok(match lane.mutate(request).await? {
        SendMessageResult::Accepted { seq, .. } | SendMessageResult::Queued { seq, .. } => seq,
    })
}

/// Makes the directory of a run. A failure leaves nothing that looks like a run.
fn write_files(dir: &RunDir, document: &RunDocument, file: &RunFile) -> Result<(), RunError> {
    let is_new = !dir.exists();
    let write = || {
        dir.make()?;
        dir.write_document(None, document)?;
        // Last: the run is there once this is.
        Ok(dir.file().replace(file)?)
    };
    let written = write();
    if written.is_err() && is_new {
        // A directory that cannot be removed either is listed as a run that cannot be read.
        drop(dir.remove());
    }
    written
}

/// The document that a run begins with, from its template.
fn first_document(
    dir: &Path,
    workflow: &Workflow,
    file: &RunFile,
    params: &StartRunParams,
) -> Result<RunDocument, RunError> {
    let path = dir.join(&workflow.document);
    let text = std::fs::read_to_string(&path).map_err(RunError::io(&path))?;
    let template = RunDocument::parse(text);
    let template = template.map_err(|error| RunError::StateInvalid(error.into()))?;
    let package = &file.package;
    let mut values = vec![
        ("runId", json!(file.run_id)),
        ("projectId", json!(file.project_id)),
        (
            "workflow",
            json!({"id": file.workflow, "version": package.version, "digest": package.digest}),
        ),
    ];
    if let Some(agent) = &params.agent_id {
        values.push(("activeAgentId", json!(agent)));
    }
    if let Some(autopilot) = params.autopilot {
        values.push(("autopilot", json!(autopilot)));
    }
    if let Some(variables) = &params.variables {
        let mut all = template.state().variables.clone();
        all.extend(variables.clone());
        values.push(("variables", Value::Object(all)));
    }
    let document = template.with(&values, &now());
    document.map_err(|error| RunError::StateInvalid(InvalidState::from(error)))
}

/// The time of a change of a document.
pub(crate) fn now() -> String {
    let ms = i64::try_from(now_ms()).unwrap_or(i64::MAX);
    Timestamp::from_millisecond(ms)
        .unwrap_or(Timestamp::MAX)
        .to_string()
}

pub(crate) fn internal(error: impl std::fmt::Display) -> RunError {
    RunError::Internal(error.to_string())
}
