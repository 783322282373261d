//! The feature in a daemon: the host with its socket, a home on the disk, a scripted model.

#![expect(
    clippy::unwrap_used,
    reason = "these are tests, though without the usual harness"
)]

use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fs, io::Write as _};

use futures_util::future::{pending, ready};
use libtest_mimic::Trial;
use scorel_client::{Connection, Subscription};
use scorel_config::ConfigSource;
use scorel_example_feature::{PINS, PinFile, PinFileParams, PinHooks, PinTools, Pins, register};
use scorel_exec::Supervisors;
use scorel_home::{Device, Home, ProjectRegistry, SecretStore};
use scorel_host::{
    Heard, Host, HostParts, Listener as Hearing, ListenerPlace, ListenerSource, Reception,
    Shutdown, TurnParts,
};
use scorel_proto::{
    ClientId, CreateSession, DaemonManager, Method, PermissionDecision, RegisterProject,
    RespondPermission, SendMessage, SessionId,
};
use scorel_rpc::{Listener, RpcLimits, Service, local_user};
use scorel_testkit::{ModelServer, ScriptedChat, trial_arguments};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// The time limit of a test. Generous, since machines are busy.
const PATIENCE: Duration = Duration::from_secs(120);

fn main() -> ExitCode {
    // A daemon starts itself to look at what the kernel supports, and so does this program.
    if let Some(code) = scorel_exec::run_if_asked().or_else(scorel_convert::run_if_asked) {
        return code;
    }
    let trials = vec![
        trial(
            "a_pinned_file_is_asked_about_also_by_the_next_daemon",
            pinned,
        ),
        trial("a_damaged_state_file_is_named", damaged),
        trial("listeners_hear_and_hold_up_nothing", heard),
    ];
    libtest_mimic::run(&trial_arguments(), trials).exit_code()
}

fn trial<F: Future<Output = ()>>(name: &str, test: impl FnOnce() -> F + Send + 'static) -> Trial {
    Trial::test(name, move || {
        let runtime = tokio::runtime::Runtime::new()?;
        let ended = runtime.block_on(async { timeout(PATIENCE, test()).await });
        runtime.shutdown_background();
        Ok(ended?)
    })
}

/// A daemon of this process, with the feature.
struct Daemon {
    host: Arc<Host>,
    closing: CancellationToken,
    serving: JoinHandle<()>,
}

impl Daemon {
    fn start(root: &Path) -> Self {
        Self::start_with(root, Vec::new())
    }

    fn start_with(root: &Path, listeners: Vec<Arc<dyn ListenerSource>>) -> Self {
        let home = Home::open(root, None).unwrap();
        fs::create_dir_all(home.sessions()).unwrap();
        let pins = Pins::open(root).unwrap();
        let host = Host::open(HostParts {
            device: Device::load_or_create(&home.device()).unwrap(),
            projects: ProjectRegistry::open(&home.projects()).unwrap(),
            config: ConfigSource::open(&home.config()).unwrap(),
            secrets: SecretStore::new(home.env()),
            supervisors: Supervisors::new(None).unwrap(),
            shutdown: Shutdown::default(),
            umask: None,
            manager: DaemonManager::None,
            descriptors: 1024,
            started_at: 0,
            features: vec![Arc::clone(&pins) as _],
            turns: TurnParts {
                sources: vec![Arc::new(PinTools(Arc::clone(&pins)))],
                hooks: vec![Arc::new(PinHooks(Arc::clone(&pins)))],
            },
            listeners,
            home: home.clone(),
        })
        .unwrap();
        let mut table = scorel_host::methods(Arc::clone(&host)).unwrap();
        register(&mut table, &pins).unwrap();
        let closing = CancellationToken::new();
        let service = Service::new(table.build(), RpcLimits::default(), closing.clone()).unwrap();
        let listener = Listener::bind(home.socket(), true).unwrap();
        let user = local_user(nix::unistd::geteuid().as_raw());
        Self {
            host,
            closing,
            serving: tokio::spawn(async move { service.listen(listener, user).await }),
        }
    }

    async fn stop(self) {
        assert!(self.host.sessions().drain(PATIENCE).await);
        self.closing.cancel();
        self.serving.await.unwrap();
    }
}

/// A client of the daemon.
struct Client {
    id: ClientId,
    connection: Connection,
    session: SessionId,
}

impl Client {
    async fn connect(root: &Path, id: ClientId) -> Connection {
        let home = Home::unopened(root);
        let connection = Connection::connect(home.socket()).await.unwrap();
        connection.hello(Some(id)).await.unwrap();
        connection
    }

    async fn begin(root: &Path, project: &Path) -> Self {
        let id = ClientId::generate();
        let connection = Self::connect(root, id).await;
        let project = call::<RegisterProject>(&connection, json!({ "workDir": project })).await;
        let project = json!({ "projectId": project.project.project_id });
        let session = call::<CreateSession>(&connection, project).await.session_id;
        Self {
            id,
            connection,
            session,
        }
    }

    /// The same client of the next daemon.
    async fn again(self, root: &Path) -> Self {
        let connection = Self::connect(root, self.id).await;
        Self { connection, ..self }
    }

    async fn follow(&self, after: u64) -> Subscription {
        let params = json!({ "sessionId": self.session, "persistentLastSeq": after });
        let params = serde_json::from_value(params).unwrap();
        self.connection.subscribe_events(&params).await.unwrap()
    }

    async fn say(&self, text: &str) {
        let content = json!([{ "type": "text", "text": text }]);
        let params = json!({ "sessionId": self.session, "content": content });
        call::<SendMessage>(&self.connection, params).await;
    }

    /// Answers the next question of the daemon, and returns it.
    async fn decide(&self, events: &mut Subscription, decision: PermissionDecision) -> Value {
        let asked = until(events, "permission_request").await;
        let params = json!({
            "sessionId": self.session, "requestId": asked["requestId"], "decision": decision,
        });
        call::<RespondPermission>(&self.connection, params).await;
        asked
    }
}

async fn call<M: Method>(connection: &Connection, params: Value) -> M::Result {
    let params = serde_json::from_value(params).unwrap();
    connection.call::<M>(&params).await.unwrap()
}

async fn until(events: &mut Subscription, wanted: &str) -> Value {
    loop {
        let item = events.next().await.unwrap();
        let item: Value = serde_json::from_str(item.get()).unwrap();
        let kind = item["type"].as_str().unwrap();
        if kind == wanted {
            return item;
        }
        assert_ne!(kind, "turn_outcome", "no {wanted}");
    }
}

/// Everything is allowed, so that only the hook can have a call asked about.
fn configure(root: &Path, model: &ModelServer) {
    let text = format!(
        "[model]\ntype = \"custom\"\napi = \"openai-completions\"\nprovider = \"test\"\n\
         id = \"test-model\"\nbaseUrl = \"{}\"\n[permissions]\nmode = \"full\"\n",
        model.base_url()
    );
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600);
    let mut file = file.open(root.join("config.toml")).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

fn calls(model: &ModelServer, tool: &str, input: &Value) {
    let answer = ScriptedChat::default().tool_call("c", tool, &input.to_string());
    model.answer(answer.finish("tool_calls"));
}

async fn pinned() {
    let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let model = ModelServer::start().await.unwrap();
    configure(home.path(), &model);
    let daemon = Daemon::start(home.path());
    let client = Client::begin(home.path(), project.path()).await;
    let pin = PinFileParams {
        session_id: client.session,
        path: "kept.txt".to_owned(),
        command_id: Some("pin-1".parse().unwrap()),
    };
    let recorded = client.connection.call::<PinFile>(&pin).await.unwrap();
    let repeated = client.connection.call::<PinFile>(&pin).await.unwrap();
    assert_eq!(recorded, repeated, "the record is the receipt");

    let mut events = client.follow(0).await;
    let event = until(&mut events, "custom").await;
    assert_eq!(event["data"], json!({ "path": "kept.txt" }));
    assert_eq!(event["id"], json!(recorded.event_id));
    calls(&model, "PinnedFiles", &json!({}));
    for path in ["free.txt", "kept.txt"] {
        calls(&model, "Write", &json!({ "path": path, "content": "1" }));
    }
    model.answer(ScriptedChat::default().text("Done.").finish("stop"));
    client.say("go").await;
    let asked = client.decide(&mut events, PermissionDecision::Once).await;
    assert_eq!(asked["hookReason"], "pins: `kept.txt` is pinned");
    assert_eq!(asked["input"]["path"], "kept.txt");
    until(&mut events, "turn_outcome").await;
    let told = model.requests()[1].json()["messages"].to_string();
    assert!(told.contains("kept.txt"), "the tool named it: {told}");
    for file in ["free.txt", "kept.txt"] {
        assert_eq!(fs::read(project.path().join(file)).unwrap(), b"1", "{file}");
    }
    daemon.stop().await;

    let daemon = Daemon::start(home.path());
    let client = client.again(home.path()).await;
    let mut events = client.follow(recorded.seq.get() - 1).await;
    assert_eq!(until(&mut events, "custom").await, event, "the log has it");
    until(&mut events, "turn_outcome").await;
    calls(
        &model,
        "Write",
        &json!({ "path": "kept.txt", "content": "2" }),
    );
    model.answer(ScriptedChat::default().text("Done.").finish("stop"));
    client.say("again").await;
    client.decide(&mut events, PermissionDecision::Deny).await;
    until(&mut events, "turn_outcome").await;
    assert_eq!(fs::read(project.path().join("kept.txt")).unwrap(), b"1");
    daemon.stop().await;
}

/// Keeps what it hears, and speaks up when the first turn has ended.
#[derive(Debug)]
struct Curious {
    heard: Mutex<Vec<Arc<Heard>>>,
    spoke: AtomicBool,
    hears: Notify,
}

impl Hearing for Curious {
    fn name(&self) -> &str {
        "curious"
    }

    fn hears(&self, kind: &str) -> bool {
        Heard::MEANINGS.contains(&kind) || kind == "tool_started"
    }

    fn heard(&self, event: Arc<Heard>) -> Reception {
        let ended = event.kind == "turn_finish";
        self.heard.lock().unwrap().push(event);
        self.hears.notify_one();
        let speaks = ended && !self.spoke.swap(true, Ordering::Relaxed);
        let word = ready(speaks.then(|| "one thing more".to_owned()));
        Reception::Work(Box::pin(word))
    }
}

/// Never ends with what it hears first.
#[derive(Debug)]
struct Stuck;

impl Hearing for Stuck {
    fn name(&self) -> &str {
        "stuck"
    }

    fn hears(&self, kind: &str) -> bool {
        kind == "session_start"
    }

    fn heard(&self, _: Arc<Heard>) -> Reception {
        Reception::Work(Box::pin(pending()))
    }
}

#[derive(Debug)]
struct Ears(Arc<Curious>);

impl ListenerSource for Ears {
    fn listeners(&self, _: ListenerPlace) -> Vec<Arc<dyn Hearing>> {
        vec![Arc::new(Stuck), Arc::clone(&self.0) as _]
    }
}

async fn heard() {
    let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let model = ModelServer::start().await.unwrap();
    configure(home.path(), &model);
    let curious = Arc::new(Curious {
        heard: Mutex::default(),
        spoke: AtomicBool::new(false),
        hears: Notify::new(),
    });
    let daemon = Daemon::start_with(home.path(), vec![Arc::new(Ears(Arc::clone(&curious)))]);
    let client = Client::begin(home.path(), project.path()).await;
    let mut events = client.follow(0).await;
    calls(&model, "Write", &json!({ "path": "a.txt", "content": "1" }));
    model.answer(ScriptedChat::default().text("Done.").finish("stop"));
    model.answer(ScriptedChat::default().text("Noted.").finish("stop"));
    client.say("go").await;
    until(&mut events, "turn_outcome").await;
    // What the listener says begins a turn of its own.
    let word = until(&mut events, "custom_message").await;
    assert_eq!(word["kind"], "hook.curious");
    until(&mut events, "turn_outcome").await;
    let told = model.requests()[2].json()["messages"].to_string();
    assert!(told.contains("one thing more"), "{told}");
    let kinds = || -> Vec<String> {
        let heard = curious.heard.lock().unwrap();
        heard.iter().map(|event| event.kind.clone()).collect()
    };
    while kinds().len() < 5 {
        curious.hears.notified().await;
    }
    let expected = [
        "session_start",
        "prompt_submit",
        "tool_started",
        "turn_finish",
        "turn_finish",
    ];
    for kind in expected {
        assert!(kinds().iter().any(|it| it == kind), "{kind}: {:?}", kinds());
    }
    {
        let heard = curious.heard.lock().unwrap();
        let prompt = heard.iter().find(|it| it.kind == "prompt_submit").unwrap();
        assert_eq!(prompt.event["prompt"], "go");
    }
    daemon.stop().await;
}

async fn damaged() {
    let home = tempfile::tempdir().unwrap();
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600);
    let mut file = file.open(home.path().join(PINS.place)).unwrap();
    file.write_all(b"{\"version\":1,\"sessions\":3}").unwrap();
    let error = Pins::open(home.path()).unwrap_err().to_string();
    assert!(error.contains(PINS.cure), "{error}");
}
