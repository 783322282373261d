use std::io::Cursor;
use std::path::Path;

use scorel_proto::{
    AccessLevel, ClientId, ErrorCode, ImportSession, ListDirectories, Method as _, ProjectId,
    QuotaPolicy, SessionKind, SessionParent,
};
use scorel_rpc::{Caller, Principal, RpcLimits, Service};
use scorel_session::{ListFilter, NewSession};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio_util::sync::CancellationToken;

use super::*;

fn parts(root: &Path) -> HostParts {
    let home = Home::unopened(root);
    HostParts {
        device: Device::load_or_create(&home.device()).unwrap(),
        projects: ProjectRegistry::open(&home.projects()).unwrap(),
        config: ConfigSource::open(&home.config()).unwrap(),
        secrets: SecretStore::new(home.env()),
        supervisors: Supervisors::new(None).unwrap(),
        descriptors: 1024,
        manager: scorel_proto::DaemonManager::None,
        umask: None,
        shutdown: Shutdown::default(),
        started_at: 0,
        features: Vec::new(),
        turns: TurnParts::default(),
        listeners: Vec::new(),
        home,
    }
}

/// They show files of the user's that are in no project.
#[tokio::test]
async fn directories_and_imports_are_for_callers_that_may_do_everything() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("sessions")).unwrap();
    let host = Host::open(parts(dir.path())).unwrap();
    let table = crate::rpc::table(host).unwrap().build();
    let service = Service::new(table, RpcLimits::default(), CancellationToken::new()).unwrap();
    for method in [ListDirectories::NAME, ImportSession::NAME] {
        for access in [AccessLevel::Read, AccessLevel::Control, AccessLevel::Admin] {
            let caller = Caller {
                principal: Principal::LocalUser { uid: 1 },
                client_id: None,
                access,
            };
            let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"no": 1}});
            let (mut reply, far) = tokio::io::duplex(64 * 1024);
            let call = format!("{call}\n");
            service.serve_stream(Cursor::new(call), far, caller).await;
            let mut text = String::new();
            reply.read_to_string(&mut text).await.unwrap();
            let reply: Value = serde_json::from_str(&text).unwrap();
            let expected = match access {
                AccessLevel::Admin => ErrorCode::InvalidParams,
                _ => ErrorCode::Forbidden,
            };
            assert_eq!(reply["error"]["data"]["code"], expected.name(), "{text}");
        }
    }
}

#[tokio::test]
async fn a_child_session_says_for_life_what_it_is_and_nothing_keeps_the_sessions_alive() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("sessions")).unwrap();
    let host = Host::open(parts(dir.path())).unwrap();
    let new = |kind, parent| NewSession {
        project_id: scorel_proto::ProjectId::generate(),
        kind,
        parent,
        client_id: ClientId::Daemon,
        title: None,
        agent: None,
        run: None,
        worktree: None,
        model: None,
        runner: None,
        thinking_level: None,
        tools: None,
    };
    let sessions = Arc::clone(host.sessions());
    let made = sessions.create(new(SessionKind::User, None)).await.unwrap();
    let parent = SessionParent {
        session_id: made.session_id,
        event_id: None,
        task_id: Some("task".to_owned()),
    };
    let child = new(SessionKind::Subagent, Some(parent.clone()));
    let child = sessions.create(child).await.unwrap().session_id;
    let log = dir.path().join(format!("sessions/{child}/events.jsonl"));
    let log = std::fs::read_to_string(log).unwrap();
    let header: serde_json::Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!(header["kind"], "subagent");
    assert_eq!(
        header["parent"]["sessionId"],
        parent.session_id.to_string().as_str()
    );

    // What observes them and sets their turns up does not.
    let weak = Arc::downgrade(&sessions);
    drop((sessions, host));
    assert!(weak.upgrade().is_none());

    let host = Host::open(parts(dir.path())).unwrap();
    let lane = host.sessions().get(child).await.unwrap();
    let loaded = lane.session().unwrap();
    assert_eq!(loaded.kind, SessionKind::Subagent);
    assert_eq!(loaded.parent.as_ref(), Some(&parent));
    let listed = host.sessions().list(ListFilter::default()).await.unwrap();
    let listed = listed.sessions.iter().find(|one| one.session_id == child);
    assert_eq!(listed, Some(&loaded));
}

#[tokio::test]
async fn a_project_has_its_own_agents_and_policies_and_an_unknown_name_gets_a_suggestion() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("sessions")).unwrap();
    let work = dir.path().join("work");
    std::fs::create_dir_all(work.join(".scorel")).unwrap();
    let own = "[agents.b]\ndefaultQuota = 3\n[agents.a]\nenabled = false";
    std::fs::write(work.join(".scorel/config.toml"), own).unwrap();
    let user = "[agents.b]\ndefaultQuota = 4\n[agents.a]\n";
    std::fs::write(dir.path().join("config.toml"), user).unwrap();
    let host = Host::open(parts(dir.path())).unwrap();
    let registered = host.projects.register(work.to_str().unwrap(), None);
    let project = registered.unwrap().0.project_id;
    let policy = QuotaPolicy {
        project: Some(2),
        ..QuotaPolicy::default()
    };
    assert!(
        host.projects
            .set_quota(project, "a", &policy, None)
            .unwrap()
    );
    let told = async |project| {
        let agents = host.list_agents(project).await.unwrap().into_iter();
        let told = agents.map(|it| (it.agent_type, it.quota.effective, it.config.enabled));
        told.collect::<Vec<_>>()
    };
    let (a, b) = (|| "a".to_owned(), || "b".to_owned());
    assert_eq!(told(None).await, [(a(), 1, true), (b(), 4, true)]);
    assert_eq!(told(Some(project)).await, [(a(), 2, false), (b(), 3, true)]);
    let policies = [host.agent(Some(project), "a"), host.agent(None, "a")];
    let policies = futures_util::future::join_all(policies).await.into_iter();
    let policies: Vec<_> = policies.map(|agent| agent.unwrap().policy).collect();
    assert_eq!(policies, [Some(policy), None]);
    let unknown = host.list_agents(Some(ProjectId::generate())).await;
    let unknown = unknown.unwrap_err().to_string();
    assert!(unknown.starts_with("there is no project"), "{unknown}");
    let unknown = host.agent(None, "reviewer").await.unwrap_err();
    assert_eq!(unknown.to_string(), "there is no agent `reviewer`");
}
