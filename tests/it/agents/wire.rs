//! The wire under a page, a panel and a canvas: names and order of the events.

use scorel_client::{ClientError, Connection};
use scorel_proto::{
    AgentInfo, AgentTaskGraph, AgentTaskStatus, ArchiveSession, ArchiveSessionParams, ClientId,
    DeleteSession, DeleteSessionParams, ErrorCode, GetGraph, GetGraphParams, GraphNodeKind,
    HostEvent, ListProjects, ListRuntimes, ListRuntimesParams, NoParams, QuotaPolicy, SessionId,
    SetAgent, SetAgentParams, SetQuota, SetQuotaParams, SpawnRuntime,
};
use serde_json::json;
use tokio::time::timeout;

use super::bound_client::BoundClient;
use super::scene::{AGENTS, AgentScene, open, task};
use crate::under_test::{PATIENCE, connect, has_sandbox, session};

/// Asks for the agent until it is as it should be.
async fn until(scene: &AgentScene, is_so: impl Fn(&AgentInfo) -> bool) -> AgentInfo {
    let asked = async {
        loop {
            let agent = scene.agent("developer").await;
            if is_so(&agent) {
                return agent;
            }
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, asked).await.expect("in time")
}

#[tokio::test]
async fn the_last_event_of_an_agent_is_readable_and_it_and_the_count_of_the_ended_survive_a_kill() {
    if !has_sandbox() {
        return;
    }
    let mut scene = AgentScene::new().await;
    for (name, command, told) in [
        ("one", "echo hi", "tool call success: echo hi"),
        ("two", "exit 3", "tool error: exit 3"),
    ] {
        scene.parts.call(name, "Bash", &json!({"command": command}));
        let gate = scene.parts.hold(name);
        scene.spawn("developer", name).await;
        gate.reached().await;
        let is_told = |agent: &AgentInfo| {
            let last = agent.last_event.as_ref();
            last.is_some_and(|last| last.summary == told)
        };
        until(&scene, is_told).await;
        gate.open();
    }
    scene.until_ended(2).await;
    let before = until(&scene, |agent| agent.finished == 2).await;
    let last = before.last_event.clone().unwrap();
    assert_eq!(last.status, AgentTaskStatus::Completed);
    assert!(last.summary.starts_with("completed: "), "{}", last.summary);
    scene.restart().await;
    assert_eq!(scene.agent("developer").await, before);
}

async fn orchestrator(client: &Connection) -> Option<SessionId> {
    let listed = client.call::<ListProjects>(&NoParams {}).await.unwrap();
    listed.projects[0].orchestrator_session_id
}

async fn archive(scene: &AgentScene, session_id: SessionId, archived: bool) {
    let params = ArchiveSessionParams {
        session_id,
        archived: Some(archived),
        command_id: None,
    };
    scene.client.call::<ArchiveSession>(&params).await.unwrap();
}

#[tokio::test]
async fn a_project_keeps_its_orchestrator_until_that_is_archived_or_deleted() {
    let mut scene = AgentScene::new().await;
    let bound = BoundClient::new(&scene).await;
    assert_eq!(bound.binding.session(), Some(scene.lead));
    scene.restart().await;
    assert_eq!(orchestrator(&scene.client).await, Some(scene.lead));
    assert_eq!(open(&scene.client, scene.project).await, scene.lead);

    let mut bound = BoundClient::new(&scene).await;
    archive(&scene, scene.lead, true).await;
    assert_eq!(orchestrator(&scene.client).await, None);
    while bound.binding.session().is_some() {
        bound.next().await;
    }
    let next = open(&scene.client, scene.project).await;
    assert_ne!(next, scene.lead);
    archive(&scene, scene.lead, false).await;
    assert_eq!(orchestrator(&scene.client).await, Some(next));

    let params = DeleteSessionParams {
        session_id: next,
        children: None,
        now: None,
        command_id: None,
    };
    scene.client.call::<DeleteSession>(&params).await.unwrap();
    assert_eq!(orchestrator(&scene.client).await, None);
}

async fn set(
    scene: &AgentScene,
    policy: u32,
    expected: &QuotaPolicy,
) -> Result<AgentInfo, ClientError> {
    let params = SetQuotaParams {
        project_id: scene.project,
        agent_type: "developer".to_owned(),
        policy: number(policy),
        expected: Some(expected.clone()),
        command_id: None,
    };
    Ok(scene.client.call::<SetQuota>(&params).await?.agent)
}

fn number(project: u32) -> QuotaPolicy {
    QuotaPolicy {
        project: Some(project),
        workflow: [("release".to_owned(), 1)].into(),
        ..QuotaPolicy::default()
    }
}

#[tokio::test]
async fn a_policy_is_told_in_full_and_not_wiped_by_one_who_knows_another() {
    let scene = AgentScene::new().await;
    assert_eq!(scene.agent("developer").await.policy, None);
    let mut bound = BoundClient::new(&scene).await;
    let none = QuotaPolicy::default();
    assert_eq!(set(&scene, 2, &none).await.unwrap().policy, Some(number(2)));
    let told = loop {
        if let HostEvent::AgentChanged { agent, .. } = bound.next().await {
            break agent.policy.clone();
        }
    };
    assert_eq!(told, Some(number(2)));
    let Err(ClientError::Rpc(refused)) = set(&scene, 3, &none).await else {
        panic!("it was replaced");
    };
    assert_eq!(refused.code, ErrorCode::Conflict);
    assert_eq!(refused.details["kind"], "quota");
    assert_eq!(refused.details["policy"], json!(number(2)));
    assert_eq!(
        set(&scene, 3, &number(2)).await.unwrap().policy,
        Some(number(3))
    );
}

#[tokio::test]
async fn limits_of_an_agent_are_told_and_null_takes_them_out() {
    let config = AGENTS.replacen(
        "defaultQuota = 1",
        "maxTurnSeconds = 60\nmaxSessionCost = 2.5",
        1,
    );
    let scene = AgentScene::with(&config).await;
    let agent = scene.agent("developer").await.config;
    assert_eq!(agent.max_turn_seconds, Some(60));
    assert_eq!(json!(agent.max_session_cost), json!(2.5));
    let params: SetAgentParams = serde_json::from_value(json!({
        "agentType": "developer", "maxTurnSeconds": null, "maxTurnTokens": 1_000,
    }))
    .unwrap();
    scene.client.call::<SetAgent>(&params).await.unwrap();
    let agent = scene.agent("developer").await.config;
    assert_eq!(
        (agent.max_turn_seconds, agent.max_turn_tokens),
        (None, Some(1_000))
    );
    assert_eq!(
        json!(agent.max_session_cost),
        json!(2.5),
        "it was not named"
    );
}

async fn graph(scene: &AgentScene, ended: Option<u32>) -> AgentTaskGraph {
    let params = GetGraphParams {
        session_id: scene.lead,
        ended,
    };
    scene.client.call::<GetGraph>(&params).await.unwrap()
}

#[tokio::test]
async fn any_runtime_of_the_project_can_be_selected_and_a_graph_is_ordered_and_shortened() {
    let scene = AgentScene::new().await;
    let mut bound = BoundClient::new(&scene).await;
    let above = scene.parts.hold("above");
    let first = scene.spawn("reviewer", "above").await;
    above.reached().await;
    let gate = scene.parts.hold("below");
    let params = task(first.session_id, "developer", "below");
    let below = scene.client.call::<SpawnRuntime>(&params).await.unwrap();
    gate.reached().await;
    bound.select(below.runtime_id).await;
    assert_eq!(bound.binding.session(), Some(below.session_id));
    let queued = task(first.session_id, "developer", "waits");
    let queued = scene.client.call::<SpawnRuntime>(&queued).await.unwrap();
    let known = scene.runtime(queued.runtime_id).await.runtime;
    assert_eq!(known.session_id, Some(queued.session_id));

    let told = scene.runtime(below.runtime_id).await.runtime;
    let node = |graph: &AgentTaskGraph, id: String| {
        let found = graph.nodes.iter().find(|node| node.id == id);
        found.map(|node| (node.version, node.kind))
    };
    let whole = graph(&scene, None).await;
    let id = |id: scorel_proto::AgentTaskId| id.to_string();
    assert_eq!(
        node(&whole, id(below.runtime_id)),
        Some((told.version, GraphNodeKind::Runtime))
    );
    let lead = session(&scene.client, scene.lead).await;
    let root = Some((lead.last_persistent_seq.get(), GraphNodeKind::Orchestrator));
    assert_eq!(node(&whole, scene.lead.to_string()), root);

    gate.open();
    bound
        .until(below.runtime_id, AgentTaskStatus::Completed)
        .await;
    assert_eq!(bound.binding.session(), Some(scene.lead));
    bound
        .until(queued.runtime_id, AgentTaskStatus::Completed)
        .await;
    let shortened = graph(&scene, Some(1)).await;
    assert_eq!(node(&shortened, id(below.runtime_id)), None);
    assert!(
        node(&shortened, id(queued.runtime_id)).is_some(),
        "it ended last"
    );
    assert_eq!(shortened.edges.len(), 2);
    assert_eq!(
        graph(&scene, Some(0)).await.nodes.len(),
        2,
        "the root, and what runs"
    );
    above.open();
    scene.until_ended(1).await;
    assert_eq!(graph(&scene, None).await.nodes.len(), 4);
}

#[tokio::test]
async fn runtimes_are_listed_in_pages() {
    let scene = AgentScene::new().await;
    for name in ["a", "b", "c"] {
        scene.spawn("developer", name).await;
    }
    scene.until_ended(3).await;
    let mut params = ListRuntimesParams {
        limit: Some(2),
        ..ListRuntimesParams::default()
    };
    let mut titles = Vec::new();
    loop {
        let page = scene.client.call::<ListRuntimes>(&params).await.unwrap();
        titles.push(
            page.runtimes
                .into_iter()
                .map(|it| it.title)
                .collect::<Vec<_>>(),
        );
        params.cursor = page.next_cursor;
        if params.cursor.is_none() {
            break;
        }
    }
    assert_eq!(titles, [vec!["c", "b"], vec!["a"]]);
    params.cursor = Some("x".to_owned());
    let refused = scene.client.call::<ListRuntimes>(&params).await;
    assert!(
        matches!(refused, Err(ClientError::Rpc(error)) if error.code == ErrorCode::InvalidParams)
    );
}

#[tokio::test]
async fn a_client_that_gives_a_name_is_known_by_it() {
    let scene = AgentScene::new().await;
    let mut bound = BoundClient::new(&scene).await;
    let named = connect(&scene.daemon.socket()).await;
    let id = ClientId::generate();
    named.hello_as(id, "a panel").await.unwrap();
    let told = loop {
        if let HostEvent::ClientChanged { clients, .. } = bound.next().await {
            break clients.clone();
        }
    };
    assert_eq!((told[0].client_id, told[0].name.as_str()), (id, "a panel"));
    let later = BoundClient::new(&scene).await;
    let HostEvent::Snapshot { clients, .. } = &later.seen[0] else {
        panic!("it begins with a snapshot");
    };
    assert_eq!(*clients, told);
}
