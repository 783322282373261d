use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use scorel_proto::{
    GraphEdge, GraphEdgeKind, GraphNode, GraphNodeKind, Phase, RuntimeGraph, RuntimeInfo,
    RuntimeStatus, SessionId,
};
use scorel_session::Lane;

use crate::error::OrchestratorError;
use crate::history::infos;
use crate::orchestrator::Orchestrator;

impl Orchestrator {
    /// A session, its runtimes, and those of their sessions.
    ///
    /// # Errors
    ///
    /// If the session is not there, or cannot be read.
    pub async fn graph(&self, root: SessionId) -> Result<RuntimeGraph, OrchestratorError> {
        let sessions = self.sessions()?;
        let lane = sessions.get(root).await?;
        let with_runtimes = sessions.with_runtimes(Some(lane.project_id())).await?;
        let with_runtimes: BTreeSet<SessionId> = with_runtimes.into_iter().collect();
        let (node, mut version) = root_node(&lane)?;
        let mut graph = RuntimeGraph {
            version: 0,
            nodes: vec![node],
            edges: Vec::new(),
        };
        let mut due = VecDeque::from([(root.to_string(), Arc::clone(&lane))]);
        let mut seen = BTreeSet::from([root]);
        while let Some((from, lane)) = due.pop_front() {
            for runtime in infos(&lane) {
                version += runtime.version;
                let id = runtime.runtime_id.to_string();
                graph.edges.push(GraphEdge {
                    from: from.clone(),
                    to: id.clone(),
                    kind: GraphEdgeKind::SpawnedBy,
                    task_id: Some(id.clone()),
                    workflow_id: runtime.workflow_id.clone(),
                });
                // A session that goes on with another task is below the first.
                let child = runtime
                    .session_id
                    .filter(|child| with_runtimes.contains(child) && seen.insert(*child));
                graph.nodes.push(node_of(runtime));
                if let Some(child) = child
                    && let Ok(lane) = sessions.get(child).await
                {
                    due.push_back((id, lane));
                }
            }
        }
        graph.version = version;
        Ok(graph)
    }
}

fn root_node(lane: &Lane) -> Result<(GraphNode, u64), OrchestratorError> {
    let session = lane.session()?;
    let status = match session.phase {
        Phase::AwaitingPermission => RuntimeStatus::WaitingInput,
        Phase::Idle => RuntimeStatus::Completed,
        Phase::Failed => RuntimeStatus::Failed,
        Phase::Preparing | Phase::Running | Phase::Waiting | Phase::Cancelling => {
            RuntimeStatus::Running
        }
    };
    let version = session.last_persistent_seq.get();
    let node = GraphNode {
        id: session.session_id.to_string(),
        kind: GraphNodeKind::Orchestrator,
        session_id: Some(session.session_id),
        agent_type: session.agent.map(|agent| agent.agent_type),
        status,
        queue_position: None,
        summary: session.title.unwrap_or_default(),
        started_at: session.created_at,
        ended_at: None,
        usage: Some(session.usage),
        waiting_for: None,
    };
    Ok((node, version))
}

fn node_of(runtime: RuntimeInfo) -> GraphNode {
    let has_ended = runtime.status.is_final();
    GraphNode {
        id: runtime.runtime_id.to_string(),
        kind: GraphNodeKind::Runtime,
        session_id: runtime.session_id,
        agent_type: Some(runtime.agent_type),
        status: runtime.status,
        queue_position: runtime.queue_position,
        summary: runtime.summary.unwrap_or(runtime.title),
        started_at: runtime.started_at,
        ended_at: runtime.ended_at,
        usage: has_ended.then_some(runtime.usage),
        waiting_for: runtime.waiting_for,
    }
}
