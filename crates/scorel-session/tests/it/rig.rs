//! A home with sessions, and a script that plays the model and the tools.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use scorel_journal::{Durability, FileStorage, Storage};
use scorel_proto::{
    Anchors, Block, ClientId, CommandId, DeviceId, EventId, ProjectId, SendMessageResult,
    SessionId, SessionKind, SessionView, TurnId, WhileRunning,
};
use scorel_session::{
    Lane, MutationCommand, NewSession, SendRequest, SessionError, SessionFeature, SessionSettings,
    Sessions,
};
use tempfile::TempDir;
use tokio::sync::{Mutex, mpsc};

use crate::follower::{Follower, within};
use crate::log::Log;
use crate::script::{Plan, Script};
use crate::stage::{ModelCall, ToolRun};

/// The sessions of one home.
#[derive(Debug)]
pub(crate) struct Rig {
    home: Arc<TempDir>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) script: Arc<Script>,
    calls: Mutex<mpsc::Receiver<ModelCall>>,
    runs: Mutex<mpsc::Receiver<ToolRun>>,
}

impl Rig {
    pub(crate) fn new() -> Self {
        Self::with(settings())
    }

    pub(crate) fn with(settings: SessionSettings) -> Self {
        Self::on(new_home(), settings, Arc::new(FileStorage))
    }

    /// With a home in memory, where the system has such a place: what is synced to a disk takes its time.
    pub(crate) fn in_memory() -> Self {
        let memory = Path::new("/dev/shm");
        let home = match memory.is_dir() {
            true => new_home_in(memory),
            false => new_home(),
        };
        Self::on(home, settings(), Arc::new(FileStorage))
    }

    pub(crate) fn on_disk(storage: Arc<dyn Storage>) -> Self {
        Self::on(new_home(), settings(), storage)
    }

    pub(crate) fn on_disk_with(storage: Arc<dyn Storage>, settings: SessionSettings) -> Self {
        Self::on(new_home(), settings, storage)
    }

    /// The same home with a feature of the host.
    pub(crate) fn with_feature(&self, feature: Arc<dyn SessionFeature>) -> Self {
        let home = Arc::clone(&self.home);
        Self::open(home, settings(), Arc::new(FileStorage), vec![feature])
    }

    fn on(home: Arc<TempDir>, settings: SessionSettings, storage: Arc<dyn Storage>) -> Self {
        Self::open(home, settings, storage, Vec::new())
    }

    fn open(
        home: Arc<TempDir>,
        settings: SessionSettings,
        storage: Arc<dyn Storage>,
        features: Vec<Arc<dyn SessionFeature>>,
    ) -> Self {
        let (calls_to, calls) = mpsc::channel(64);
        let (runs_to, runs) = mpsc::channel(64);
        let script = Arc::new(Script::new(calls_to, runs_to));
        let sessions = Sessions::new(
            home.path().join("sessions"),
            (home.path().join("index"), home.path().join("active")),
            (DeviceId::generate(), "0.0.0".to_owned()),
            storage,
            settings,
            Arc::clone(&script) as Arc<_>,
            features,
        );
        Self {
            home,
            sessions,
            script,
            calls: Mutex::new(calls),
            runs: Mutex::new(runs),
        }
    }

    /// Another daemon on the same home, after this one has ended or crashed without a turn.
    pub(crate) fn restarted(&self) -> Self {
        Self::on(Arc::clone(&self.home), settings(), Arc::new(FileStorage))
    }

    pub(crate) fn restarted_with(&self, settings: SessionSettings) -> Self {
        Self::on(Arc::clone(&self.home), settings, Arc::new(FileStorage))
    }

    pub(crate) fn restarted_on(&self, storage: Arc<dyn Storage>) -> Self {
        Self::on(Arc::clone(&self.home), settings(), storage)
    }

    /// A daemon on a copy of the home as it is now: what a crash would leave.
    pub(crate) fn crashed(&self) -> Self {
        let home = new_home_in(self.home.path().parent().expect("it has one"));
        copy(self.home.path(), home.path());
        Self::on(home, settings(), Arc::new(FileStorage))
    }

    pub(crate) fn plan(&self, change: impl FnOnce(&mut Plan)) {
        change(&mut self.script.plan.lock().expect("not poisoned"));
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    pub(crate) fn dir(&self, id: SessionId) -> PathBuf {
        self.home.path().join("sessions").join(id.to_string())
    }

    pub(crate) fn log(&self, id: SessionId) -> Log {
        Log::read(&self.dir(id))
    }

    /// A new session.
    pub(crate) async fn session(&self) -> SessionId {
        self.session_of(ProjectId::generate(), None).await
    }

    pub(crate) async fn session_of(&self, project: ProjectId, title: Option<&str>) -> SessionId {
        let new = new_session(project, title);
        self.sessions.create(new).await.expect("created").session_id
    }

    pub(crate) async fn lane(&self, id: SessionId) -> Arc<Lane> {
        within(self.sessions.get(id)).await.expect("loaded")
    }

    pub(crate) async fn send(
        &self,
        id: SessionId,
        request: SendRequest,
    ) -> Result<SendMessageResult, SessionError> {
        let lane = within(self.sessions.get(id)).await?;
        within(lane.mutate(request)).await
    }

    /// Says something; the answer.
    pub(crate) async fn say(&self, id: SessionId, text: &str) -> SendMessageResult {
        self.send(id, message(text)).await.expect("accepted")
    }

    /// Says something to a session whose turn is open.
    pub(crate) async fn steer(&self, id: SessionId, text: &str) -> SendMessageResult {
        let request = SendRequest {
            while_running: WhileRunning::Steer,
            ..message(text)
        };
        self.send(id, request).await.expect("accepted")
    }

    /// Says something to an idle session; the turn.
    pub(crate) async fn begin(&self, id: SessionId, text: &str) -> TurnId {
        turn(&self.say(id, text).await)
    }

    /// Follows a session from nothing; it is up to date.
    pub(crate) async fn follow(&self, id: SessionId) -> Follower {
        let mut follower = self
            .follow_from(id, SessionView::default(), Anchors::default())
            .await;
        follower.until("sync_end").await;
        follower
    }

    /// Follows a session from where a client stands; nothing has come yet.
    pub(crate) async fn follow_from(
        &self,
        id: SessionId,
        view: SessionView,
        anchors: Anchors,
    ) -> Follower {
        let subscriber = within(self.sessions.subscribe(id, anchors)).await;
        Follower::new(subscriber.expect("a session"), view, anchors)
    }

    /// The next call of the model.
    pub(crate) async fn model(&self) -> ModelCall {
        within(async { self.calls.lock().await.recv().await })
            .await
            .expect("the model is called")
    }

    /// The next tool that runs.
    pub(crate) async fn tool(&self) -> ToolRun {
        within(async { self.runs.lock().await.recv().await })
            .await
            .expect("a tool runs")
    }

    /// A whole turn: a question and its answer.
    pub(crate) async fn exchange(&self, id: SessionId, text: &str) -> EventId {
        let mut follower = self.follow(id).await;
        let SendMessageResult::Accepted { user_event_id, .. } = self.say(id, text).await else {
            panic!("the session is idle");
        };
        self.model().await.answer(&format!("to {text}")).await;
        assert_eq!(follower.outcome().await, "completed");
        // What belongs to the end of the turn is done when the lane is free again.
        self.lane(id).await.session().expect("there");
        user_event_id
    }

    /// Checks what holds for every session without an open turn: the log is in order, and the
    /// live state, its description and what a new client sees are what the log folds into.
    pub(crate) async fn check(&self, id: SessionId) -> Log {
        let log = self.log(id);
        log.check();
        assert_eq!(
            self.script.abandoned.load(Ordering::Relaxed),
            0,
            "tools were dropped"
        );
        let folded = log.fold();
        let lane = self.lane(id).await;
        let session = lane.session().expect("there");
        assert_eq!(session.turn_id, None);
        assert_eq!(session.active_leaf_id, folded.leaf());
        assert_eq!(
            session.last_persistent_seq,
            folded.state.last_persistent_seq
        );
        assert_eq!(session.title.as_deref(), folded.state.display_title());
        assert_eq!(session.model, folded.state.model);
        assert_eq!(session.usage, folded.state.usage);
        assert_eq!(session.archived, folded.state.archived);
        assert_eq!(session.queue, folded.state.queue.items);
        assert_eq!(session.queue_version, folded.state.queue.version);
        assert_eq!(session.queue_paused, folded.state.queue.paused);
        let tree = lane
            .tree(scorel_proto::Seq::ZERO, usize::MAX)
            .expect("there");
        let nodes: Vec<_> = tree
            .nodes
            .iter()
            .map(|node| (node.id, node.parent_id))
            .collect();
        let expected: Vec<_> = folded
            .tree
            .nodes()
            .map(|node| (node.id, node.parent_id))
            .collect();
        assert_eq!(nodes, expected);
        let client = self.follow(id).await;
        assert_eq!(client.view, folded, "what a new client sees");
        log
    }
}

/// Without syncs: the journal's own tests are about those.
pub(crate) fn settings() -> SessionSettings {
    SessionSettings {
        durability: Durability::Flush,
        ..SessionSettings::default()
    }
}

fn new_home() -> Arc<TempDir> {
    new_home_in(&std::env::temp_dir())
}

fn new_home_in(directory: &Path) -> Arc<TempDir> {
    let home = tempfile::tempdir_in(directory).expect("a directory");
    fs::create_dir(home.path().join("sessions")).expect("writable");
    Arc::new(home)
}

pub(crate) fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("readable") {
        let entry = entry.expect("readable");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("known").is_dir() {
            fs::create_dir_all(&target).expect("writable");
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("copied");
        }
    }
}

/// A message that wants nothing special.
pub(crate) fn message(text: &str) -> SendRequest {
    SendRequest {
        command: MutationCommand::new(ClientId::Daemon, None, "sendMessage", &text),
        content: vec![Block::text(text)],
        while_running: WhileRunning::FollowUp,
        parent_event_id: None,
        expected_leaf_id: None,
        model: None,
        runner: None,
        mode: None,
        channel: None,
    }
}

/// A message with a receipt.
pub(crate) fn command(client: ClientId, id: &str, text: &str) -> SendRequest {
    let id: CommandId = id.parse().expect("a command id");
    SendRequest {
        command: MutationCommand::new(client, Some(id), "sendMessage", &text),
        ..message(text)
    }
}

/// The turn that a message began.
pub(crate) fn turn(answer: &SendMessageResult) -> TurnId {
    match answer {
        SendMessageResult::Accepted { turn_id, .. } => *turn_id,
        SendMessageResult::Queued { .. } => panic!("the message was queued"),
    }
}

/// A client.
pub(crate) fn client() -> ClientId {
    ClientId::generate()
}

/// A `cancel` with `clearQueue` and without a receipt.
pub(crate) fn clear() -> MutationCommand {
    MutationCommand::new(ClientId::Daemon, None, "cancel", &())
}

/// What a session of a person is made with.
pub(crate) fn new_session(project: ProjectId, title: Option<&str>) -> NewSession {
    NewSession {
        agent: None,
        run: None,
        worktree: None,
        runner: None,
        project_id: project,
        kind: SessionKind::User,
        parent: None,
        client_id: ClientId::Daemon,
        title: title.map(str::to_owned),
        model: None,
        thinking_level: None,
        tools: None,
    }
}
