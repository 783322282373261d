use scorel_proto::{
    AgentTaskGraph, AgentTaskStatus, GetGraph, GetGraphParams, GraphEdge, GraphEdgeKind, GraphNode,
    GraphNodeKind,
};

use super::agent::{queued, runtime};
use super::{method, params_of, result_of};
use crate::golden::Golden;
use crate::samples::{ids, messages};

pub(super) fn all() -> Vec<Golden> {
    let session_id = ids::session();
    let graph = AgentTaskGraph {
        nodes: vec![root(), asking(), waiting(), ended()],
        edges: vec![
            edge(runtime().runtime_id.to_string(), Some("release")),
            edge(queued().runtime_id.to_string(), None),
            edge(ids::runtime(3).to_string(), None),
        ],
    };
    let alone = AgentTaskGraph {
        nodes: vec![root()],
        edges: Vec::new(),
    };
    let params = GetGraphParams {
        session_id,
        ended: Some(50),
    };
    let mut all = Vec::from(method::<GetGraph>(&params, &graph));
    let everything = GetGraphParams {
        session_id,
        ended: None,
    };
    all.push(params_of::<GetGraph>(".all", &everything));
    all.push(result_of::<GetGraph>(".alone", &alone));
    all
}

fn root() -> GraphNode {
    GraphNode {
        id: ids::session().to_string(),
        version: 9,
        kind: GraphNodeKind::Orchestrator,
        session_id: Some(ids::session()),
        agent_type: None,
        status: AgentTaskStatus::Running,
        queue_position: None,
        title: "Read me".into(),
        summary: "Read me".into(),
        started_at: ids::TS,
        ended_at: None,
        usage: Some(messages::usage()),
        waiting_for: None,
    }
}

fn asking() -> GraphNode {
    let runtime = runtime();
    GraphNode {
        id: runtime.runtime_id.to_string(),
        version: runtime.version,
        kind: GraphNodeKind::Runtime,
        session_id: runtime.session_id,
        agent_type: Some(runtime.agent_type),
        status: runtime.status,
        queue_position: None,
        title: runtime.title.clone(),
        summary: runtime.title,
        started_at: runtime.started_at,
        ended_at: None,
        usage: None,
        waiting_for: runtime.waiting_for,
    }
}

fn waiting() -> GraphNode {
    let runtime = queued();
    GraphNode {
        id: runtime.runtime_id.to_string(),
        version: runtime.version,
        status: runtime.status,
        queue_position: runtime.queue_position,
        waiting_for: None,
        ..asking()
    }
}

fn ended() -> GraphNode {
    GraphNode {
        id: ids::runtime(3).to_string(),
        status: AgentTaskStatus::Failed,
        ended_at: Some(ids::TS + 61_250),
        usage: Some(messages::usage()),
        waiting_for: None,
        ..asking()
    }
}

fn edge(to: String, workflow_id: Option<&str>) -> GraphEdge {
    GraphEdge {
        from: ids::session().to_string(),
        to: to.clone(),
        kind: GraphEdgeKind::SpawnedBy,
        task_id: Some(to),
        workflow_id: workflow_id.map(str::to_owned),
    }
}
