mod agents;
mod directories;

use std::time::Duration;

use scorel_config::ConfigSource;
use scorel_exec::Supervisors;
use scorel_home::{Device, Home, ProjectRegistry, SecretStore};
use scorel_proto::{
    CommandId, ErrorCode, ProjectId, RegisterProjectParams, RpcError, SessionKind, ThinkingLevel,
};
use scorel_session::ListFilter;

use super::*;
use crate::host::HostParts;
use crate::shutdown::Shutdown;
use crate::turns::TurnParts;

/// The mutation as a client sees it.
async fn mutate(
    host: &Arc<Host>,
    command: MutationCommand,
    effect: Effect,
) -> Result<Subject, RpcError> {
    Ok(host.mutate(command, effect).await?)
}

/// A home over which one host after another is opened.
struct TestHome {
    dir: tempfile::TempDir,
    client: ClientId,
}

impl TestHome {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("sessions")).unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        Self {
            dir,
            client: ClientId::generate(),
        }
    }

    /// A host as the next daemon has it before it listens.
    async fn start(&self) -> Arc<Host> {
        let host = self.open();
        host.finish_begun().await;
        host
    }

    fn open(&self) -> Arc<Host> {
        let home = Home::unopened(self.dir.path());
        let parts = HostParts {
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
        };
        Host::open(parts).unwrap()
    }

    fn id(name: &str) -> CommandId {
        name.parse().unwrap()
    }

    fn key(&self, name: &str) -> CommandKey {
        CommandKey {
            client_id: self.client,
            command_id: Self::id(name),
        }
    }

    fn command(&self, name: &str, params: &str) -> MutationCommand {
        MutationCommand::new(self.client, Some(Self::id(name)), "method", &params)
    }

    /// What a daemon leaves that dies between the receipt and the effect.
    async fn dies_before(&self, name: &str, params: &str, effect: &Effect) {
        let digest = self.command(name, params).digest;
        let begun = self
            .open()
            .receipts
            .begin(self.key(name), digest, effect.clone())
            .await;
        assert_eq!(begun.unwrap(), BeginOutcome::New(effect.clone()));
    }

    fn registration(&self) -> Effect {
        Effect::RegisterProject {
            project_id: ProjectId::generate(),
            params: RegisterProjectParams {
                work_dir: self.dir.path().join("work").display().to_string(),
                display_name: None,
                command_id: None,
            },
        }
    }

    async fn project(&self, host: &Arc<Host>) -> ProjectId {
        let command = MutationCommand::new(self.client, None, "registerProject", &());
        let subject = mutate(host, command, self.registration()).await;
        subject.unwrap().project().unwrap()
    }
}

fn creation(project_id: ProjectId) -> Effect {
    Effect::CreateSession {
        session_id: SessionId::generate(),
        params: CreateSessionParams {
            project_id,
            title: Some("a title".to_owned()),
            runner: None,
            model: None,
            thinking_level: Some(ThinkingLevel::High),
            tools: None,
            command_id: None,
        },
    }
}

async fn sessions(host: &Host) -> Vec<SessionId> {
    let listed = host.sessions.list(ListFilter::default()).await.unwrap();
    let sessions = listed.sessions;
    for session in &sessions {
        assert_eq!(session.title.as_deref(), Some("a title"));
    }
    sessions.iter().map(|session| session.session_id).collect()
}

#[tokio::test]
async fn a_repetition_gets_the_first_answer_and_another_command_a_conflict() {
    let place = TestHome::new();
    let host = place.start().await;
    let project = place.project(&host).await;
    let create = |host: Arc<Host>, params| {
        let command = place.command("c1", params);
        async move { mutate(&host, command, creation(project)).await }
    };
    let first = create(Arc::clone(&host), "x").await.unwrap();
    assert_eq!(create(Arc::clone(&host), "x").await, Ok(first.clone()));
    let refused = create(host, "y").await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Conflict);
    let host = place.start().await;
    assert_eq!(create(Arc::clone(&host), "x").await, Ok(first.clone()));
    assert_eq!(sessions(&host).await, [first.session().unwrap()]);
}

#[tokio::test]
async fn the_next_start_finishes_a_begun_command_under_the_same_id() {
    let place = TestHome::new();
    let project = place.project(&place.start().await).await;
    let effect = creation(project);
    let subject = effect.makes().unwrap();
    place.dies_before("c1", "x", &effect).await;
    for _ in 0..2 {
        let host = place.start().await;
        assert_eq!(sessions(&host).await, [subject.clone().session().unwrap()]);
        let again = mutate(&host, place.command("c1", "x"), creation(project));
        assert_eq!(again.await, Ok(subject.clone()));
    }
}

#[tokio::test]
async fn an_effect_from_before_a_crash_is_found_and_not_repeated() {
    let place = TestHome::new();
    let host = place.start().await;
    let effect = place.registration();
    place.dies_before("c1", "x", &effect).await;
    let Effect::RegisterProject { project_id, params } = effect else {
        unreachable!("it is one");
    };
    let (project, new) = host
        .projects
        .register_as(project_id, &params.work_dir, None)
        .unwrap();
    assert!(new);
    let host = place.start().await;
    assert_eq!(host.projects.list(), [project]);
    let again = mutate(&host, place.command("c1", "x"), place.registration());
    assert_eq!(again.await, Ok(Subject::ProjectId(project_id)));
}

#[tokio::test]
async fn half_a_session_is_completed() {
    let place = TestHome::new();
    let host = place.start().await;
    let project = place.project(&host).await;
    let effect = creation(project);
    place.dies_before("c1", "x", &effect).await;
    let id = effect.makes().unwrap().session().unwrap();
    let header_only = NewSession {
        project_id: project,
        kind: SessionKind::User,
        parent: None,
        client_id: place.client,
        title: None,
        agent: None,
        run: None,
        worktree: None,
        model: None,
        runner: None,
        thinking_level: None,
        tools: None,
    };
    host.sessions.create_as(id, header_only).await.unwrap();
    let host = place.start().await;
    assert_eq!(sessions(&host).await, [id]);
}

#[tokio::test]
async fn a_session_that_was_made_and_deleted_is_not_made_again() {
    let place = TestHome::new();
    let host = place.start().await;
    let project = place.project(&host).await;
    let create = || place.command("c1", "x");
    let subject = mutate(&host, create(), creation(project)).await.unwrap();
    let session_id = subject.clone().session().unwrap();
    let delete = || place.command("c2", "y");
    let effect = || Effect::DeleteSession {
        session_id,
        children: None,
        now: false,
    };
    for _ in 0..2 {
        assert_eq!(mutate(&host, delete(), effect()).await, Ok(subject.clone()));
    }
    for _ in 0..2 {
        let host = place.start().await;
        assert_eq!(sessions(&host).await, []);
        assert_eq!(mutate(&host, delete(), effect()).await, Ok(subject.clone()));
        assert_eq!(
            mutate(&host, create(), creation(project)).await,
            Ok(subject.clone())
        );
        assert_eq!(sessions(&host).await, []);
    }
}

#[tokio::test]
async fn a_deletion_without_a_receipt_ends_that_of_the_creation() {
    let place = TestHome::new();
    let project = place.project(&place.start().await).await;
    let effect = creation(project);
    let session_id = effect.makes().unwrap().session().unwrap();
    place.dies_before("c1", "x", &effect).await;
    let host = place.open();
    // The session is there, and its receipt has no end yet.
    let new = host.create_session(place.client, session_id, params_of(effect));
    new.await.unwrap();
    let command = MutationCommand::new(place.client, None, "deleteSession", &());
    let delete = Effect::DeleteSession {
        session_id,
        children: None,
        now: false,
    };
    let deleted = mutate(&host, command, delete);
    deleted.await.unwrap();
    assert_eq!(sessions(&*place.start().await).await, []);
}

fn params_of(effect: Effect) -> CreateSessionParams {
    match effect {
        Effect::CreateSession { params, .. } => params,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_deletion_that_was_begun_is_done_by_the_next_start() {
    let place = TestHome::new();
    let host = place.start().await;
    let project_id = place.project(&host).await;
    let subject = mutate(&host, place.command("c1", "x"), creation(project_id));
    let session_id = subject.await.unwrap().session().unwrap();
    let delete = Effect::DeleteSession {
        session_id,
        children: None,
        now: false,
    };
    place.dies_before("c2", "y", &delete).await;
    place
        .dies_before("c3", "z", &Effect::RemoveProject { project_id })
        .await;
    let host = place.start().await;
    assert_eq!(sessions(&host).await, []);
    assert_eq!(host.projects.list(), []);
    let again = mutate(&host, place.command("c2", "y"), delete).await;
    assert_eq!(again, Ok(Subject::SessionId(session_id)));
}

#[tokio::test]
async fn a_refused_command_is_checked_again_and_not_tried_by_the_next_start() {
    let place = TestHome::new();
    let host = place.start().await;
    let project_id = place.project(&host).await;
    let id = SessionId::generate();
    let new = |title: Option<&str>| NewSession {
        project_id,
        kind: SessionKind::User,
        parent: None,
        client_id: place.client,
        title: title.map(str::to_owned),
        agent: None,
        run: None,
        worktree: None,
        model: None,
        runner: None,
        thinking_level: None,
        tools: None,
    };
    host.sessions
        .create_as(id, new(Some("a title")))
        .await
        .unwrap();
    let remove = |host: Arc<Host>, params| {
        let command = place.command("c1", params);
        async move { mutate(&host, command, Effect::RemoveProject { project_id }).await }
    };
    for params in ["x", "x", "y"] {
        let refused = remove(Arc::clone(&host), params).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::ProjectHasSessions);
    }
    host.sessions.delete(id).await.unwrap();
    let host = place.start().await;
    assert_eq!(host.projects.list().len(), 1, "the start does not retry it");
    for _ in 0..2 {
        remove(Arc::clone(&host), "x").await.unwrap();
    }
    assert_eq!(host.projects.list(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_sixteen_equal_commands_at_once_one_takes_effect() {
    let place = TestHome::new();
    let host = place.start().await;
    let project = place.project(&host).await;
    let calls: Vec<_> = (0..16)
        .map(|_| {
            let (host, command) = (Arc::clone(&host), place.command("c1", "x"));
            tokio::spawn(async move { mutate(&host, command, creation(project)).await })
        })
        .collect();
    let mut answers = Vec::new();
    for call in calls {
        answers.push(call.await.unwrap().unwrap());
    }
    answers.dedup();
    let [subject] = answers.as_slice() else {
        panic!("{answers:?}");
    };
    assert_eq!(sessions(&host).await, [subject.clone().session().unwrap()]);
}

#[tokio::test]
async fn a_caller_that_disconnects_does_not_stop_a_begun_command() {
    let place = TestHome::new();
    let host = place.start().await;
    let project = place.project(&host).await;
    let mut call = Box::pin(mutate(&host, place.command("c1", "x"), creation(project)));
    // Enough to begin, not to end.
    assert!(futures_util::poll!(&mut call).is_pending());
    drop(call);
    let again = mutate(&host, place.command("c1", "x"), creation(project));
    let subject = tokio::time::timeout(Duration::from_secs(30), again).await;
    let session = subject.unwrap().unwrap().session().unwrap();
    assert_eq!(sessions(&host).await, [session]);
}

#[tokio::test]
async fn a_repeated_registration_does_not_bring_back_a_removed_project() {
    let place = TestHome::new();
    let host = place.start().await;
    let project_id = place.project(&host).await;
    let register = |host: Arc<Host>| {
        let (command, effect) = (place.command("c1", "x"), place.registration());
        async move { mutate(&host, command, effect).await }
    };
    let subject = Subject::ProjectId(project_id);
    assert_eq!(register(Arc::clone(&host)).await, Ok(subject.clone()));
    let command = MutationCommand::new(place.client, None, "removeProject", &());
    let removed = mutate(&host, command, Effect::RemoveProject { project_id });
    removed.await.unwrap();
    let host = place.start().await;
    assert_eq!(host.projects.list(), []);
    assert_eq!(register(Arc::clone(&host)).await, Ok(subject));
    assert_eq!(host.projects.list(), []);
}
