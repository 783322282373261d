use std::sync::Arc;

use scorel_engine::spawn_blocking;
use scorel_proto::{
    Phase, ProjectId, ResumeRunParams, RunIntent, RunSpent, RunStateCause, SessionId,
};
use scorel_session::{Lane, SessionError, Sessions};
use serde_json::{Map, Value};

use crate::error::RunError;
use crate::open_run::OpenRun;
use crate::runs::Runs;
use crate::spending::spent;
use crate::start::{RunIds, StartedRun, command_id, internal, new_session, now, opening, send};

impl Runs {
    /// Has a run go on from its document, in its session or in a new one. A repeated command completes what the first
    /// has begun.
    ///
    /// # Errors
    /// There is no such run, it has ended or cannot go on as it is, a turn of it is open, or something cannot be written.
    pub async fn resume(
        self: &Arc<Self>,
        sessions: &Arc<Sessions>,
        ids: RunIds,
        params: ResumeRunParams,
    ) -> Result<StartedRun, RunError> {
        let _changing = self.changing.lock().await;
        let mut run = self.open_aside(ids.run_id).await?;
        let last = run.file.sessions.last().copied();
        let known = self.lane_of(sessions, last).await?;
        let is_repeated = last == Some(ids.session_id);
        if let Some(lane) = known.as_ref().filter(|_| !is_repeated) {
            let id = command_id("resume", ids.session_id)?;
            if let Some(seq) = sent_before(lane, &id)? {
                let session_id = lane.id();
                return Ok(StartedRun {
                    run_id: ids.run_id,
                    session_id,
                    seq,
                });
            }
            check_idle(lane)?;
        }
        if !is_repeated && run.current().has_ended() {
            return Err(RunError::Ended);
        }
        let takes_over = params.new_session.unwrap_or(false) || known.is_none();
        if let Some(lane) = known.as_ref().filter(|_| takes_over && !is_repeated) {
            check_agents(lane)?;
        }
        let lane = match known {
            Some(lane) if is_repeated || !takes_over => lane,
            _ => {
                let model = known.and_then(|lane| lane.view(|view| view.state.model.clone()));
                let id = ids.session_id;
                let project = self.project_of(&run)?;
                let new = scorel_session::NewSession {
                    title: Some(run.bound.package.manifest.name.clone()),
                    model,
                    ..new_session(&run.file, project)
                };
                sessions.create_as(id, new).await?;
                run = self.take_over(run, id).await?;
                sessions.get(id).await?
            }
        };
        if let Some(variables) = params.variables {
            run = set_variables(run, variables).await?;
        }
        let before = self.before(sessions, &run, &lane).await?;
        self.join(&lane, &run, before, RunStateCause::Command)
            .await?;
        let content = opening(RunIntent::Resume, params.input);
        let seq = send(&lane, command_id("resume", ids.session_id)?, content).await?;
        Ok(StartedRun {
            run_id: ids.run_id,
            session_id: lane.id(),
            seq,
        })
    }

    /// The session that has had a run before another, with what the run has used by then. A daemon that ended before the
    /// other one joined it, and sessions that never did, change nothing of it.
    async fn before(
        &self,
        sessions: &Arc<Sessions>,
        run: &OpenRun,
        lane: &Lane,
    ) -> Result<(Option<SessionId>, RunSpent), RunError> {
        let earlier = run.file.sessions.iter().rev().copied();
        let earlier = earlier.filter(|it| *it != lane.id());
        let last = earlier.clone().next();
        if lane.view(|view| view.state.run.is_some()) {
            return Ok((last, RunSpent::default()));
        }
        for id in earlier {
            let known = self.lane_of(sessions, Some(id)).await?;
            let known = known.filter(|it| it.view(|view| view.state.run.is_some()));
            if let Some(known) = known {
                return Ok((last, known.view(|view| spent(&view.state))));
            }
        }
        Ok((last, RunSpent::default()))
    }

    pub(crate) async fn open_aside(
        self: &Arc<Self>,
        id: scorel_proto::RunId,
    ) -> Result<OpenRun, RunError> {
        let runs = Arc::clone(self);
        spawn_blocking(move || runs.open(id))
            .await
            .map_err(internal)?
    }

    /// The session that has a run, if it is still there.
    pub(crate) async fn lane_of(
        &self,
        sessions: &Arc<Sessions>,
        last: Option<SessionId>,
    ) -> Result<Option<Arc<Lane>>, RunError> {
        let Some(id) = last else { return Ok(None) };
        match sessions.get(id).await {
            Ok(lane) => Ok(Some(lane)),
            // A log that cannot be read does not keep its run from going on elsewhere.
            Err(SessionError::NotFound(_) | SessionError::Failed { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn project_of(&self, run: &OpenRun) -> Result<ProjectId, RunError> {
        Ok(self.project(run.file.project_id)?.id)
    }

    /// Gives a run to a session, durably.
    async fn take_over(self: &Arc<Self>, run: OpenRun, id: SessionId) -> Result<OpenRun, RunError> {
        let taken = spawn_blocking(move || {
            let mut run = run;
            run.file.sessions.push(id);
            run.dir.file().replace(&run.file)?;
            Ok::<_, RunError>(run)
        });
        taken.await.map_err(internal)?
    }
}

/// Sets variables of a document, whatever its node says.
async fn set_variables(run: OpenRun, variables: Map<String, Value>) -> Result<OpenRun, RunError> {
    let set = spawn_blocking(move || {
        let mut all = run.state().variables.clone();
        all.extend(variables);
        let document = run
            .document
            .with(&[("variables", Value::Object(all))], &now());
        let document = document.map_err(|error| RunError::StateInvalid(error.into()))?;
        if document.state().variables == run.state().variables {
            return Ok(run);
        }
        run.dir.write_document(Some(&run.text), &document)?;
        run.reread()
    });
    set.await.map_err(internal)?
}

/// The number of the message of a command that was sent before.
fn sent_before(
    lane: &Arc<Lane>,
    id: &scorel_proto::CommandId,
) -> Result<Option<scorel_proto::Seq>, RunError> {
    use scorel_proto::SendMessageResult::{Accepted, Queued};
    let command = scorel_session::MutationCommand::new(
        scorel_proto::ClientId::Daemon,
        Some(id.clone()),
        "run",
        &(),
    );
    let receipt = lane.receipt(&command)?;
    let sent = receipt.and_then(|it| it.sent());
    Ok(sent.map(|sent| match sent {
        Accepted { seq, .. } | Queued { seq, .. } => seq,
    }))
}

/// Refuses a session with agents that work: what they use from now on would not count for the run.
fn check_agents(lane: &Lane) -> Result<(), RunError> {
    match lane.view(|view| view.state.runtimes.unfinished().count()) {
        0 => Ok(()),
        _ => Err(RunError::Running),
    }
}

/// Refuses a session with an open turn, or one whose run is about to go on.
pub(crate) fn check_idle(lane: &Arc<Lane>) -> Result<(), RunError> {
    let (phase, turn) = lane.phase();
    let is_idle = turn.is_none() && matches!(phase, Phase::Idle | Phase::Failed);
    match is_idle {
        true => Ok(()),
        false => Err(RunError::Running),
    }
}
