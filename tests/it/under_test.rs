//! The programs under test and common steps.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

use scorel_client::{ClientError, Connect, Connection};
use scorel_exec::Support;
use scorel_proto::{
    AppendCustomMessage, AppendCustomMessageParams, CreateSession, CreateSessionParams, GetSession,
    GetSessionParams, Message, RegisterProject, RegisterProjectParams, Search, SearchParams,
    SendMessage, SendMessageParams, SendMessageResult, Session, SessionId, SubscribeEventsParams,
    TurnId, UpdateSession, UpdateSessionParams,
};
use scorel_testkit::{DaemonUnderTest, ModelServer};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::time::timeout;

pub(crate) const SCORELD: &str = env!("CARGO_BIN_EXE_scoreld-under-test");

pub(crate) const SCORELCTL: &str = env!("CARGO_BIN_EXE_scorelctl-under-test");

/// The time limit for what a test waits for, so that one that fails does not hang. Generous, since
/// machines are busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// The time limit for what the search index does: its thread has nice 19, so that on a busy machine the
/// others come first.
pub(crate) const INDEX_PATIENCE: Duration = Duration::from_secs(600);

/// Runs `scorelctl` in the daemon's project to its end, with no variables but these and the home.
pub(crate) async fn scorelctl(
    daemon: &DaemonUnderTest,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> Output {
    let mut command = Command::new(SCORELCTL);
    command
        .env_clear()
        .env("SCORELD", SCORELD)
        .env("SCOREL_HOME", daemon.home())
        .envs(variables.iter().copied())
        .current_dir(daemon.project())
        .args(arguments)
        .stdin(Stdio::null());
    output(&mut command).await
}

/// Runs a program to its end, without input.
pub(crate) async fn output(command: &mut Command) -> Output {
    let command = command.stdin(Stdio::null()).kill_on_drop(true);
    let started = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    output_of(started.unwrap()).await
}

/// The output of a program that was started, once it has ended. If it does not end, the panic has its
/// output so far.
pub(crate) async fn output_of(mut child: Child) -> Output {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let pid = child.id();
    let read = async {
        tokio::join!(
            read_all(out, &mut stdout),
            read_all(err, &mut stderr),
            child.wait()
        )
    };
    let ended = timeout(PATIENCE, read).await;
    let Ok(((), (), status)) = ended else {
        let text = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        panic!("process {pid:?} has not ended in time, its output: {text:?}");
    };
    Output {
        status: status.unwrap(),
        stdout,
        stderr,
    }
}

async fn read_all(pipe: Option<impl AsyncRead + Unpin>, bytes: &mut Vec<u8>) {
    if let Some(mut pipe) = pipe {
        pipe.read_to_end(bytes).await.unwrap();
    }
}

/// Creates a session of the daemon's project.
pub(crate) async fn new_session(daemon: &DaemonUnderTest) -> (Connection, SessionId) {
    let client = connect(&daemon.socket()).await;
    let session = create_session(&client, daemon).await;
    (client, session)
}

/// Creates a session of the daemon's project over an existing connection.
pub(crate) async fn create_session(client: &Connection, daemon: &DaemonUnderTest) -> SessionId {
    let work_dir = daemon.project().to_str().unwrap().to_owned();
    let project = RegisterProjectParams {
        work_dir,
        display_name: None,
        command_id: None,
    };
    let project = client
        .call::<RegisterProject>(&project)
        .await
        .unwrap()
        .project;
    let session = CreateSessionParams {
        project_id: project.project_id,
        title: None,
        runner: None,
        model: None,
        thinking_level: None,
        tools: None,
        command_id: None,
    };
    let session = client.call::<CreateSession>(&session).await.unwrap();
    session.session_id
}

/// A daemon that asks `model`, with `more` in its configuration.
pub(crate) async fn daemon(model: &ModelServer, more: &str) -> DaemonUnderTest {
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more(more);
    daemon.spawn().await;
    daemon
}

/// The socket of a daemon, for clients that connect to it again and again. Starts none.
pub(crate) struct Door(pub(crate) PathBuf);

impl Connect for Door {
    async fn connect(&mut self) -> Result<Connection, ClientError> {
        let connection = Connection::connect(&self.0).await?;
        connection.hello(None).await?;
        Ok(connection)
    }
}

pub(crate) async fn connect(socket: &Path) -> Connection {
    Connection::connect(socket).await.unwrap()
}

pub(crate) fn message(session_id: SessionId, text: &str) -> SendMessageParams {
    SendMessageParams {
        session_id,
        attachments: Vec::new(),
        content: text.into(),
        while_running: None,
        parent_event_id: None,
        expected_leaf_id: None,
        runner: None,
        mode: None,
        model: None,
        channel: None,
        command_id: None,
    }
}

/// Adds a message without a turn.
pub(crate) async fn append(client: &Connection, session_id: SessionId, text: String) {
    let params = AppendCustomMessageParams {
        session_id,
        kind: "test".to_owned(),
        message: Message::user(text),
        data: None,
        command_id: None,
    };
    client.call::<AppendCustomMessage>(&params).await.unwrap();
}

/// Sends a message that starts a turn.
pub(crate) async fn send(client: &Connection, session_id: SessionId, text: &str) -> TurnId {
    match client
        .call::<SendMessage>(&message(session_id, text))
        .await
        .unwrap()
    {
        SendMessageResult::Accepted { turn_id, .. } => turn_id,
        SendMessageResult::Queued { .. } => panic!("the message was queued"),
    }
}

pub(crate) async fn session(client: &Connection, session_id: SessionId) -> Session {
    client
        .call::<GetSession>(&GetSessionParams { session_id })
        .await
        .unwrap()
        .session
}

/// Sets the title, which appends a record outside a turn.
pub(crate) async fn title(client: &Connection, session_id: SessionId, title: &str) {
    let params = UpdateSessionParams {
        session_id,
        title: Some(title.to_owned()),
        runner: None,
        model: None,
        thinking_level: None,
        tools: None,
        on_restart: None,
        refresh_instructions: None,
        command_id: None,
    };
    client.call::<UpdateSession>(&params).await.unwrap();
}

/// Waits until the search index is open and has everything, so that what it does is not in the way of
/// what a test measures.
pub(crate) async fn indexed(daemon: &DaemonUnderTest) {
    let client = connect(&daemon.socket()).await;
    let params = SearchParams {
        query: "word".to_owned(),
        ..SearchParams::default()
    };
    let file = daemon.home().join("search.db-shm");
    let asking = async {
        while client.call::<Search>(&params).await.unwrap().behind_bytes > 0 || !file.exists() {
            // Without a pause the questions would keep the processor from the index.
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(INDEX_PATIENCE, asking)
        .await
        .expect("the index has everything in time");
}

/// Waits until this is so; nothing tells when.
pub(crate) async fn until(is_so: impl Fn() -> bool) {
    let looking = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    timeout(PATIENCE, looking).await.expect("in time");
}

/// The log of the daemon itself.
pub(crate) fn logged(daemon: &DaemonUnderTest) -> String {
    let logs = std::fs::read_dir(daemon.home().join("logs")).unwrap();
    let texts = logs.map(|log| std::fs::read_to_string(log.unwrap().path()).unwrap());
    texts.collect()
}

/// Returns whether commands can be sandboxed here. Without a sandbox every command needs permission.
pub(crate) fn has_sandbox() -> bool {
    let enough = Support::probe().is_enough();
    if !enough {
        println!("skipped: this kernel has no Landlock, or no seccomp");
    }
    enough
}

/// Runs git with arguments that have no spaces.
pub(crate) fn git(directory: &Path, arguments: &str) -> String {
    let output = std::process::Command::new("git")
        .args(["-c", "user.name=n", "-c", "user.email=e"])
        .args(arguments.split(' '))
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

pub(crate) fn has_git() -> bool {
    let found = std::process::Command::new("git")
        .arg("--version")
        .output()
        .is_ok();
    if !found {
        println!("skipped: git is not installed");
    }
    found
}

/// A subscription, with items as raw JSON. It has caught up before the test goes on.
///
/// The reply to a subscription comes before its `sync_end`, and until then the daemon sends records
/// only. A turn that began in between would lack some transient events, or have the `sync_end` among
/// its own.
pub(crate) struct Watch {
    subscription: scorel_client::Subscription,
    /// What came up to the `sync_end` and was not taken yet.
    caught_up: VecDeque<String>,
}

impl Watch {
    pub(crate) async fn from_start(client: &Connection, session_id: SessionId) -> Self {
        Self::from(client, session_id, None, None).await
    }

    pub(crate) async fn from(
        client: &Connection,
        session_id: SessionId,
        persistent: Option<u64>,
        stream: Option<u64>,
    ) -> Self {
        let seq = |value: Option<u64>| value.and_then(scorel_proto::Seq::new);
        let params = SubscribeEventsParams {
            session_id,
            persistent_last_seq: seq(persistent),
            stream_last_seq: seq(stream),
            persistent_last_id: None,
        };
        let mut watch = Self {
            subscription: client.subscribe_events(&params).await.unwrap(),
            caught_up: VecDeque::new(),
        };
        watch.catch_up().await;
        watch
    }

    async fn catch_up(&mut self) {
        loop {
            let text = self.receive().await;
            let item: Value = serde_json::from_str(&text).unwrap();
            self.caught_up.push_back(text);
            if item["type"] == "sync_end" {
                return;
            }
        }
    }

    pub(crate) async fn next(&mut self) -> Value {
        serde_json::from_str(&self.next_text().await).unwrap()
    }

    /// The next event or marker, as the received bytes.
    pub(crate) async fn next_text(&mut self) -> String {
        match self.caught_up.pop_front() {
            Some(text) => text,
            None => self.receive().await,
        }
    }

    async fn receive(&mut self) -> String {
        let text = timeout(PATIENCE, self.subscription.next()).await;
        let text = text.expect("something comes in time");
        text.expect("the subscription goes on").get().to_owned()
    }

    /// All items up to the one with which each of these types has come, in any order.
    pub(crate) async fn until_all(&mut self, type_names: &[&str]) -> Vec<Value> {
        let mut items = Vec::new();
        while !type_names.iter().all(|name| types(&items).contains(name)) {
            items.push(self.next().await);
        }
        items
    }

    /// All items up to and including the first one of a type.
    pub(crate) async fn until(&mut self, type_name: &str) -> Vec<Value> {
        let mut items = Vec::new();
        loop {
            let item = self.next().await;
            let found = item["type"] == type_name;
            items.push(item);
            if found {
                return items;
            }
        }
    }
}

pub(crate) fn types(events: &[Value]) -> Vec<&str> {
    events
        .iter()
        .filter_map(|event| event["type"].as_str())
        .collect()
}

/// The concatenated text deltas.
pub(crate) fn streamed_text(events: &[Value]) -> String {
    let deltas = events.iter().filter(|event| event["type"] == "text_delta");
    deltas.filter_map(|event| event["delta"].as_str()).collect()
}

/// A pipe into which a program writes a line when it has come to a place.
pub(crate) struct NamedPipe(pipe::Receiver);

impl NamedPipe {
    /// The pipe at a path, which is made unless it is there.
    pub(crate) fn new(path: &Path) -> Self {
        if !path.exists() {
            nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        }
        // Its own writer, so that the pipe does not end with that of a program.
        let opened = pipe::OpenOptions::new()
            .read_write(true)
            .open_receiver(path);
        Self(opened.unwrap())
    }

    /// Waits for a line.
    pub(crate) async fn line(&mut self) -> String {
        let mut line = Vec::new();
        let came = async {
            while !line.ends_with(b"\n") {
                line.push(self.0.read_u8().await.unwrap());
            }
        };
        timeout(PATIENCE, came).await.expect("a line");
        String::from_utf8(line).unwrap()
    }
}
