//! Single restarts, by signal, by method and by the command line client.

use std::time::{SystemTime, UNIX_EPOCH};

use scorel_client::Connection;
use scorel_proto::{SessionId, Shutdown, ShutdownParams};
use scorel_testkit::{CheckedLog, DaemonUnderTest, ModelServer, ResponseGate, ScriptedChat};
use serde_json::Value;
use tokio::time::timeout;

use crate::under_test::{
    PATIENCE, SCORELD, Watch, connect, create_session, daemon, new_session, scorelctl, send,
};

/// A daemon whose turn waits for its first answer, which never comes. The next one is `Done.`
struct Calling {
    daemon: DaemonUnderTest,
    model: ModelServer,
    client: Connection,
    id: SessionId,
}

impl Calling {
    async fn new(config: &str) -> Self {
        let model = ModelServer::start().await.unwrap();
        let never = ResponseGate::new();
        model.answer(ScriptedChat::default().wait(&never).finish("stop"));
        model.fallback(ScriptedChat::default().text("Done.").finish("stop"));
        let daemon = daemon(&model, config).await;
        let (client, id) = new_session(&daemon).await;
        send(&client, id, "go").await;
        never.reached().await;
        Self {
            daemon,
            model,
            client,
            id,
        }
    }

    fn log(&self) -> CheckedLog {
        CheckedLog::read(&self.daemon.log_path(&self.id.to_string())).unwrap()
    }

    fn reasons(&self) -> Vec<String> {
        let log = self.log();
        log.outcomes()
            .map(|(_, reason)| reason.to_owned())
            .collect()
    }

    fn waits(&self) -> Vec<Value> {
        let log = self.log();
        let waits = log.records().iter();
        let waits = waits.filter(|record| record.type_name() == "turn_waiting");
        waits.map(|record| record.value.clone()).collect()
    }

    /// Starts the next daemon and waits for the outcome.
    async fn next_daemon(&mut self) -> String {
        self.daemon.spawn().await;
        let client = connect(&self.daemon.socket()).await;
        let mut watch = Watch::from_start(&client, self.id).await;
        let outcome = watch.until("turn_outcome").await.pop().unwrap();
        outcome["reason"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn sigterm_and_shutdown_with_park_park_and_the_others_end_turns() {
    let mut stage = Calling::new("").await;
    assert!(stage.daemon.park().await.success());
    assert_eq!(stage.waits().len(), 1);
    assert_eq!(stage.next_daemon().await, "completed");

    let mut stage = Calling::new("").await;
    let park = ShutdownParams { park: Some(true) };
    stage.client.call::<Shutdown>(&park).await.unwrap();
    assert!(stage.daemon.wait().await.success());
    assert_eq!(stage.waits()[0]["kind"], "restart");
    assert_eq!(stage.next_daemon().await, "completed");

    let mut stage = Calling::new("").await;
    let plain = ShutdownParams::default();
    stage.client.call::<Shutdown>(&plain).await.unwrap();
    assert!(stage.daemon.wait().await.success());
    assert_eq!(stage.reasons(), ["interrupted"]);

    let mut stage = Calling::new("").await;
    assert!(stage.daemon.stop().await.success());
    assert_eq!(stage.reasons(), ["interrupted"], "Ctrl-C");
}

/// The record is made to say that the next daemon is a second late, which is what it would be after
/// 601 seconds.
#[tokio::test]
async fn a_daemon_that_starts_after_the_time_interrupts_the_turn() {
    let mut stage = Calling::new("").await;
    assert!(stage.daemon.park().await.success());
    let waits = stage.waits();
    let (until, ts) = (waits[0]["until"].as_u64(), waits[0]["ts"].as_u64());
    let wait = until.unwrap() - ts.unwrap();
    assert!((540_000..=600_000).contains(&wait), "{wait}");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let late = u64::try_from(now.as_millis()).unwrap() - 1_000;
    replace_until(&stage, late);
    assert_eq!(stage.next_daemon().await, "interrupted");
    assert_eq!(stage.model.requests().len(), 1, "it is not gone on with");
}

/// Rewrites the last record of the log with another `until` and the checksum of that.
fn replace_until(stage: &Calling, until: u64) {
    let path = stage.daemon.log_path(&stage.id.to_string());
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, last) = text.trim_end().rsplit_once('\n').unwrap();
    let old: Value = serde_json::from_str(last).unwrap();
    assert_eq!(old["type"], "turn_waiting");
    let told = format!("\"until\":{}", old["until"]);
    let changed = last.replace(&told, &format!("\"until\":{until}"));
    let (object, _) = changed.rsplit_once(",\"crc\":").unwrap();
    let sealed = scorel_testkit::sealed(&format!("{object}}}"));
    std::fs::write(&path, format!("{before}\n{sealed}")).unwrap();
    // It covers the log as it was.
    let checkpoint = stage
        .daemon
        .session_dir(&stage.id.to_string())
        .join("checkpoint");
    let _missing: std::io::Result<()> = std::fs::remove_file(checkpoint);
}

#[tokio::test]
async fn what_has_no_boundary_within_park_seconds_ends() {
    let model = ModelServer::start().await.unwrap();
    let never = ResponseGate::new();
    model.answer(
        ScriptedChat::default()
            .text("half")
            .wait(&never)
            .finish("stop"),
    );
    let mut daemon = daemon(&model, "[service]\nparkSeconds = 1\n").await;
    let (client, id) = new_session(&daemon).await;
    let mut watch = Watch::from_start(&client, id).await;
    send(&client, id, "go").await;
    watch.until("text_delta").await;
    assert!(daemon.park().await.success());
    let log = CheckedLog::read(&daemon.log_path(&id.to_string())).unwrap();
    let outcomes: Vec<_> = log.outcomes().map(|(_, reason)| reason).collect();
    assert_eq!(outcomes, ["interrupted"]);
}

#[tokio::test]
async fn the_command_restarts_the_daemon_and_the_turn_goes_on() {
    let stage = Calling::new("").await;
    let old = stage.daemon.pid();
    let ended = scorelctl(&stage.daemon, &["--json", "restart"], &[]).await;
    assert!(ended.status.success(), "{ended:?}");
    let told: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(told["previous"]["pid"], old);
    assert_ne!(told["pid"], old);
    let client = connect(&stage.daemon.socket()).await;
    let mut watch = Watch::from_start(&client, stage.id).await;
    let outcome = watch.until("turn_outcome").await.pop().unwrap();
    assert_eq!(outcome["reason"], "completed");
    let stopped = scorelctl(&stage.daemon, &["stop"], &[]).await;
    assert!(stopped.status.success(), "{stopped:?}");
    assert_eq!(stage.reasons(), ["completed"]);
}

#[tokio::test]
async fn the_command_starts_a_daemon_where_none_runs() {
    let mut daemon = DaemonUnderTest::start(SCORELD).await;
    daemon.stop().await;
    let started = scorelctl(&daemon, &["restart"], &[]).await;
    let text = String::from_utf8(started.stdout).unwrap();
    assert!(text.starts_with("no daemon was running"), "{text}");
    scorelctl(&daemon, &["stop"], &[]).await;
    let broken = scorelctl(&daemon, &["restart"], &[("SCORELD", "/no/such/scoreld")]).await;
    assert_eq!(broken.status.code(), Some(7), "{broken:?}");
}

#[tokio::test]
async fn the_stop_command_ends_turns() {
    let stage = Calling::new("").await;
    let stopped = scorelctl(&stage.daemon, &["stop"], &[]).await;
    assert!(stopped.status.success(), "{stopped:?}");
    assert_eq!(stage.reasons(), ["interrupted"]);
}

/// Starts a daemon that may be idle for a second, and greets it. On a busy machine it may end before.
async fn greeted(model: &ModelServer, more: &str) -> (DaemonUnderTest, Connection) {
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    daemon.configure_more(&format!("[service]\nidleExitSeconds = 1\n{more}"));
    for _ in 0..20 {
        if daemon.try_spawn().await.is_err() {
            continue;
        }
        if let Ok(client) = Connection::connect(&daemon.socket()).await
            && client.hello(None).await.is_ok()
        {
            return (daemon, client);
        }
        daemon.wait().await;
    }
    panic!("no daemon could be greeted; {}", daemon.errors());
}

/// The command takes longer than a daemon may be idle.
#[tokio::test]
async fn a_daemon_without_clients_does_not_end_before_its_work_does() {
    let model = ModelServer::start().await.unwrap();
    let input = r#"{"command": "sleep 2"}"#;
    let calls = ScriptedChat::default().tool_call("c1", "Bash", input);
    model.answer(calls.finish("tool_calls"));
    model.answer(ScriptedChat::default().text("Done.").finish("stop"));
    let (mut daemon, client) = greeted(&model, "[permissions]\nmode = \"full\"\n").await;
    let id = create_session(&client, &daemon).await;
    send(&client, id, "go").await;
    drop(client);
    let status = timeout(PATIENCE, daemon.wait()).await.unwrap();
    assert!(status.success(), "{status:?}");
    let log = CheckedLog::read(&daemon.log_path(&id.to_string())).unwrap();
    let outcomes: Vec<_> = log.outcomes().map(|(_, reason)| reason).collect();
    assert_eq!(outcomes, ["completed"]);
}

#[tokio::test]
async fn an_idle_daemon_ends_with_zero_once_its_last_client_has_gone() {
    let model = ModelServer::start().await.unwrap();
    let (mut daemon, client) = greeted(&model, "").await;
    drop(client);
    let status = timeout(PATIENCE, daemon.wait()).await.unwrap();
    assert!(status.success(), "{status:?}");
}
