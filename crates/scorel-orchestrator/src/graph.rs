use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use scorel_proto::{
    AgentTaskGraph, AgentTaskInfo, AgentTaskStatus, GraphEdge, GraphEdgeKind, GraphNode,
    GraphNodeKind, Phase, SessionId,
};
use scorel_session::Lane;

use crate::error::OrchestratorError;
use crate::history::infos;
use crate::orchestrator::Orchestrator;

impl Orchestrator {
    /// A session, its runtimes, and those of their sessions: of the ones that have ended the last `ended`,
    /// and those that are above one of the graph.
    ///
    /// # Errors
    ///
    /// If the session is not there, or cannot be read.
    pub async fn graph(
        &self,
        root: SessionId,
        ended: Option<usize>,
    ) -> Result<AgentTaskGraph, OrchestratorError> {
        let sessions = self.sessions();
        let lane = sessions.get(root).await?;
        let with_runtimes = sessions.with_runtimes(Some(lane.project_id())).await?;
        let with_runtimes: BTreeSet<SessionId> = with_runtimes.into_iter().collect();
        let mut graph = AgentTaskGraph {
            nodes: vec![root_node(&lane)?],
            edges: Vec::new(),
        };
        let mut due = VecDeque::from([(root.to_string(), Arc::clone(&lane))]);
        let mut seen = BTreeSet::from([root]);
        while let Some((from, lane)) = due.pop_front() {
            for runtime in infos(&lane) {
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
        if let Some(ended) = ended {
            shorten(&mut graph, ended);
        }
        Ok(graph)
    }
}

/// Leaves out the runtimes that have ended, except the last `ended` and those above a node that stays.
fn shorten(graph: &mut AgentTaskGraph, ended: usize) {
    let past = graph.nodes.iter().filter(|node| node.ended_at.is_some());
    let mut past: Vec<&GraphNode> = past.collect();
    past.sort_by_key(|node| std::cmp::Reverse((node.ended_at, &node.id)));
    let mut left_out: BTreeSet<String> = past.iter().skip(ended).map(|it| it.id.clone()).collect();
    // The edges go down the graph, so from the last to the first each node comes before those above it.
    for edge in graph.edges.iter().rev() {
        if !left_out.contains(&edge.to) {
            left_out.remove(&edge.from);
        }
    }
    graph.nodes.retain(|node| !left_out.contains(&node.id));
    graph.edges.retain(|edge| !left_out.contains(&edge.to));
}

fn root_node(lane: &Lane) -> Result<GraphNode, OrchestratorError> {
    let session = lane.session()?;
    let status = match session.phase {
        Phase::AwaitingPermission => AgentTaskStatus::WaitingInput,
        Phase::Idle => AgentTaskStatus::Completed,
        Phase::Failed => AgentTaskStatus::Failed,
        Phase::Preparing | Phase::Running | Phase::Waiting | Phase::Cancelling => {
            AgentTaskStatus::Running
        }
    };
    Ok(GraphNode {
        id: session.session_id.to_string(),
        version: session.last_persistent_seq.get(),
        kind: GraphNodeKind::Orchestrator,
        session_id: Some(session.session_id),
        agent_type: session.agent.map(|agent| agent.agent_type),
        status,
        queue_position: None,
        title: session.title.clone().unwrap_or_default(),
        summary: session.title.unwrap_or_default(),
        started_at: session.created_at,
        ended_at: None,
        usage: Some(session.usage),
        waiting_for: None,
    })
}

fn node_of(runtime: AgentTaskInfo) -> GraphNode {
    let has_ended = runtime.status.is_final();
    GraphNode {
        id: runtime.runtime_id.to_string(),
        version: runtime.version,
        kind: GraphNodeKind::Runtime,
        session_id: runtime.session_id,
        agent_type: Some(runtime.agent_type),
        status: runtime.status,
        queue_position: runtime.queue_position,
        summary: runtime.summary.unwrap_or_else(|| runtime.title.clone()),
        title: runtime.title,
        started_at: runtime.started_at,
        ended_at: runtime.ended_at,
        usage: has_ended.then_some(runtime.usage),
        waiting_for: runtime.waiting_for,
    }
}
