//! Runs as clients are shown them.

use std::collections::HashMap;

use scorel_proto::{
    GetRunResult, RunId, RunInfo, RunMode, RunNode, RunPhase, RunReason, RunWay, SessionId,
    SessionRun,
};
use scorel_workflow::Workflow;

use crate::error::RunError;
use crate::open_run::{OpenRun, problem};
use crate::run_file::RunFile;
use crate::runs::Runs;
use crate::workflow_name::{WorkflowName, item};

impl Runs {
    /// Describes a run. `shown` is what its session says of it, if that is there. Reads files; blocks.
    ///
    /// # Errors
    /// There is no such run, or its file cannot be read.
    pub(crate) fn describe(
        &self,
        id: RunId,
        shown: &dyn Fn(SessionId) -> Option<SessionRun>,
    ) -> Result<GetRunResult, RunError> {
        let dir = self.dir(id);
        let file = self.file(&dir)?;
        let session = file.sessions.last().copied();
        let known = session.and_then(shown);
        let opened = self.open(id);
        let mut info = info(&file, opened.as_ref(), session, known);
        info.package_changed = self.is_package_changed(&file);
        let mut described = GetRunResult {
            run: info,
            sessions: file.sessions,
            nodes: Vec::new(),
            steps_completed: Vec::new(),
            variables: serde_json::Map::new(),
            artifacts: Vec::new(),
            document: dir.document().display().to_string(),
        };
        if let Ok(run) = &opened {
            let state = run.state();
            described.nodes = nodes(run);
            described.steps_completed.clone_from(&state.steps_completed);
            described.variables.clone_from(&state.variables);
            described.artifacts.clone_from(&state.artifacts);
        }
        Ok(described)
    }

    /// True if the package that is installed is another than that of the run; not if there is none.
    fn is_package_changed(&self, file: &RunFile) -> bool {
        let Ok(name) = file.workflow.parse::<WorkflowName>() else {
            return false;
        };
        let project = self.project(file.project_id).ok();
        let installed = self.installed(project.as_ref()).into_iter();
        let mut of_it = installed.filter(|it| it.id == name.package);
        let digest = of_it
            .next()
            .map(|it| self.trust.digest_of(&item(&it.id), &it.dir));
        matches!(digest, Some(Ok(digest)) if digest != file.package.digest)
    }
}

fn info(
    file: &RunFile,
    opened: Result<&OpenRun, &RunError>,
    session: Option<SessionId>,
    known: Option<SessionRun>,
) -> RunInfo {
    let (phase, reason) = match (&known, opened) {
        (Some(known), _) => (known.phase, known.reason),
        // Its session is gone: the document says where it is.
        (None, Ok(run)) if run.current().has_ended() => {
            (RunPhase::Completed, RunReason::EndReached)
        }
        (None, _) => (RunPhase::WaitingUser, RunReason::Interrupted),
    };
    let agent = opened.ok().and_then(|run| {
        let current = run.current();
        let (node, _) = current.node()?;
        current.agent(node).map(|agent| agent.id.clone())
    });
    RunInfo {
        run_id: file.run_id,
        project_id: file.project_id,
        session_id: session.filter(|_| known.is_some()),
        workflow: file.workflow.clone(),
        package: file.package.clone(),
        phase,
        reason,
        node_id: match opened {
            Ok(run) => run.node_id().to_owned(),
            Err(_) => known
                .as_ref()
                .map(|it| it.node_id.clone())
                .unwrap_or_default(),
        },
        agent_id: agent,
        autopilot: opened.is_ok_and(|run| run.state().autopilot),
        mode: known.map_or(RunMode::Run, |it| it.mode),
        worktree: file.worktree.clone(),
        package_changed: false,
        problem: opened.err().and_then(problem),
        created_at: file.created_at,
    }
}

fn nodes(run: &OpenRun) -> Vec<RunNode> {
    let mut visits: HashMap<&str, u64> = HashMap::new();
    for id in &run.state().steps_completed {
        *visits.entry(id).or_default() += 1;
    }
    let workflow: &Workflow = run.bound.workflow();
    let nodes = workflow.nodes().map(|(node, step)| RunNode {
        id: node.id.clone(),
        kind: node.kind.to_string(),
        title: node.title.clone().unwrap_or_default(),
        visits: visits.get(node.id.as_str()).copied().unwrap_or_default(),
        current: node.id == run.node_id(),
        waits: step.waits_for_person(),
        next: ways(workflow, &node.id),
    });
    nodes.collect()
}

fn ways(workflow: &Workflow, id: &str) -> Vec<RunWay> {
    let edges = workflow.graph.outgoing(id);
    let ways = edges.map(|edge| RunWay {
        to: edge.to.clone(),
        label: edge.label.clone(),
    });
    ways.collect()
}
