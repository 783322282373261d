use std::path::Path;

use scorel_proto::{ClientId, SessionKind, SessionParent};
use scorel_session::{ListFilter, NewSession};

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
        umask: None,
        shutdown: Shutdown::default(),
        started_at: 0,
        home,
    }
}

#[tokio::test]
async fn a_set_up_makes_a_child_session() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("sessions")).unwrap();
    let (host, turns) = Host::open_with_turns(parts(dir.path())).unwrap();
    let new = |kind, parent| NewSession {
        project_id: scorel_proto::ProjectId::generate(),
        kind,
        parent,
        client_id: ClientId::Daemon,
        title: None,
        model: None,
        thinking_level: None,
        tools: None,
    };
    let sessions = turns.sessions().unwrap();
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

    // The set-up does not keep the sessions alive.
    drop((sessions, host));
    assert!(turns.sessions().is_none());

    let host = Host::open(parts(dir.path())).unwrap();
    let lane = host.sessions().get(child).await.unwrap();
    let loaded = lane.session().unwrap();
    assert_eq!(loaded.kind, SessionKind::Subagent);
    assert_eq!(loaded.parent.as_ref(), Some(&parent));
    let listed = host.sessions().list(ListFilter::default()).await.unwrap();
    let listed = listed.sessions.iter().find(|one| one.session_id == child);
    assert_eq!(listed, Some(&loaded));
}
