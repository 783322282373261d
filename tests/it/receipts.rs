//! Commands outside sessions, repeated across kills of the daemon.

use std::fs;

use scorel_client::{ClientError, Connection};
use scorel_proto::{
    ClientId, CreateSession, CreateSessionParams, DeleteSession, DeleteSessionParams, ErrorCode,
    Hello, HelloParams, ListProjects, ListSessions, ListSessionsParams, NoParams, ProjectId,
    ProtocolRange, RegisterProject, RegisterProjectParams, Session, SessionId,
};
use scorel_testkit::DaemonUnderTest;

use crate::under_test::{SCORELD, connect};

/// The number of kills.
const ROUNDS: usize = 12;

struct InstalledClient(ClientId);

impl InstalledClient {
    fn new() -> Self {
        Self(ClientId::generate())
    }

    async fn connect(&self, daemon: &DaemonUnderTest) -> Connection {
        let connection = connect(&daemon.socket()).await;
        let hello = HelloParams {
            client_id: Some(self.0),
            name: None,
            protocol: ProtocolRange::SUPPORTED,
        };
        connection.call::<Hello>(&hello).await.unwrap();
        connection
    }

    async fn connect_anew(&self, daemon: &mut DaemonUnderTest) -> Connection {
        daemon.spawn().await;
        self.connect(daemon).await
    }
}

fn registration(daemon: &DaemonUnderTest, command: &str) -> RegisterProjectParams {
    RegisterProjectParams {
        work_dir: daemon.project().to_str().unwrap().to_owned(),
        display_name: None,
        command_id: Some(command.parse().unwrap()),
    }
}

fn creation(project_id: ProjectId, command: &str) -> CreateSessionParams {
    CreateSessionParams {
        project_id,
        title: Some("once".to_owned()),
        runner: None,
        model: None,
        thinking_level: None,
        tools: None,
        command_id: Some(command.parse().unwrap()),
    }
}

async fn project(client: &Connection, daemon: &DaemonUnderTest) -> ProjectId {
    let register = registration(daemon, "project");
    let registered = client.call::<RegisterProject>(&register).await;
    registered.unwrap().project.project_id
}

async fn titles(client: &Connection) -> Vec<(SessionId, Option<String>)> {
    let all = ListSessionsParams::default();
    let listed = client.call::<ListSessions>(&all).await.unwrap();
    let title = |session: Session| (session.session_id, session.title);
    listed.sessions.into_iter().map(title).collect()
}

/// Polls for an effect that no event announces.
async fn until(is_so: impl Fn() -> bool) {
    while !is_so() {
        tokio::task::yield_now().await;
    }
}

fn is_noted(daemon: &DaemonUnderTest, create: &CreateSessionParams) -> bool {
    let receipts = fs::read_to_string(daemon.home().join("receipts.jsonl")).unwrap();
    let command = create.command_id.as_ref().unwrap();
    receipts.contains(&format!("\"{command}\""))
}

fn entries(daemon: &DaemonUnderTest) -> usize {
    let sessions = fs::read_dir(daemon.home().join("sessions"));
    sessions.unwrap().count()
}

#[tokio::test]
async fn commands_sent_again_to_the_next_daemon_get_the_same_answers() {
    let mut daemon = DaemonUnderTest::start(SCORELD).await;
    let me = InstalledClient::new();
    let client = me.connect(&daemon).await;
    let project_id = project(&client, &daemon).await;
    let create = creation(project_id, "create");
    let first = client.call::<CreateSession>(&create).await.unwrap();
    daemon.kill().await;
    let client = me.connect_anew(&mut daemon).await;
    assert_eq!(project(&client, &daemon).await, project_id);
    let again = client.call::<CreateSession>(&create).await.unwrap();
    assert_eq!(again, first);
    let mut other = create.clone();
    other.title = None;
    let refused = client.call::<CreateSession>(&other).await.unwrap_err();
    assert!(
        matches!(&refused, ClientError::Rpc(error) if error.code == ErrorCode::Conflict),
        "{refused:?}"
    );
    assert_eq!(titles(&client).await.len(), 1);
}

#[tokio::test]
async fn a_command_cut_off_by_a_kill_is_applied_once() {
    let mut daemon = DaemonUnderTest::start(SCORELD).await;
    let me = InstalledClient::new();
    let mut client = me.connect(&daemon).await;
    let project_id = project(&client, &daemon).await;
    let mut made = Vec::new();
    for round in 0..ROUNDS {
        let create = creation(project_id, &format!("create-{round}"));
        let sessions = entries(&daemon);
        // The kill comes at an unknown point of the call.
        let kill = async {
            match round % 3 {
                0 => {}
                1 => until(|| is_noted(&daemon, &create)).await,
                _ => until(|| entries(&daemon) > sessions).await,
            }
            daemon.kill().await;
        };
        let (_, ()) = tokio::join!(client.call::<CreateSession>(&create), kill);
        client = me.connect_anew(&mut daemon).await;
        let again = client.call::<CreateSession>(&create).await.unwrap();
        made.push((again.session_id, Some("once".to_owned())));
    }
    let mut listed = titles(&client).await;
    listed.sort();
    made.sort();
    assert_eq!(listed, made);
    let projects = client.call::<ListProjects>(&NoParams {}).await.unwrap();
    assert_eq!(projects.projects.len(), 1);
}

#[tokio::test]
async fn a_deleted_session_stays_deleted() {
    let mut daemon = DaemonUnderTest::start(SCORELD).await;
    let me = InstalledClient::new();
    let client = me.connect(&daemon).await;
    let create = creation(project(&client, &daemon).await, "create");
    let created = client.call::<CreateSession>(&create).await.unwrap();
    let delete = DeleteSessionParams {
        now: None,
        children: None,
        session_id: created.session_id,
        command_id: Some("delete".parse().unwrap()),
    };
    client.call::<DeleteSession>(&delete).await.unwrap();
    daemon.kill().await;
    let client = me.connect_anew(&mut daemon).await;
    assert_eq!(titles(&client).await, []);
    let again = client.call::<DeleteSession>(&delete).await.unwrap();
    assert_eq!(again.session_id, created.session_id);
    let gone = client.call::<CreateSession>(&create).await.unwrap_err();
    assert!(
        matches!(&gone, ClientError::Rpc(error) if error.code == ErrorCode::SessionNotFound),
        "{gone:?}"
    );
    assert_eq!(titles(&client).await, []);
}
