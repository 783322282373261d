//! What stays in memory of the turns of a long conversation.

use std::fs;

use scorel_client::Connection;
use scorel_proto::SessionId;
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedChat};
use serde_json::{Value, json};
use tokio::time::{Duration, sleep, timeout};

use super::context::{APIS, configuration};
use crate::raw::RawConnection;
use crate::transfer::import;
use crate::under_test::{
    PATIENCE, SCORELD, Watch, connect, create_session, indexed, send, session,
};

/// Messages below a page, and requests that glibc would take from an arena once the first is freed.
const MESSAGES: usize = 10_000;
const MESSAGE_BYTES: usize = 1024;

/// Each turn sends the whole conversation.
const TURNS: usize = 2;

/// Of a conversation of 13 MiB. Without `fix_thresholds` 10 MiB stay of the second one.
const MAX_KEPT_KIB: u64 = 8 * 1024;

#[tokio::test(flavor = "multi_thread")]
async fn what_turns_took_is_given_back_when_their_window_is_gone() {
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("Yes.").finish("stop"));
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure(&configuration(APIS[0], &model.base_url()));
    daemon.spawn().await;
    let ids = [
        long_conversation(&daemon, "a").await,
        long_conversation(&daemon, "b").await,
    ];
    daemon.stop().await;
    daemon.spawn().await;
    let client = connect(&daemon.socket()).await;
    indexed(&daemon).await;
    // The sessions are loaded, and their windows are not.
    for id in ids {
        session(&client, id).await;
    }
    let before = daemon.anonymous_kib();
    // With the first request glibc may learn to keep as much for the second.
    for id in ids {
        turns(&client, id).await;
        let used = daemon.anonymous_kib();
        assert!(used > before + MAX_KEPT_KIB);
        // A window is kept for a minute, that of a deleted session is not.
        let params = json!({"sessionId": id, "now": true});
        let deleted = RawConnection::connect(&daemon).call("deleteSession", &params);
        assert!(deleted["result"].is_object(), "{deleted}");
        let given_back = async {
            while daemon.anonymous_kib() > before + MAX_KEPT_KIB {
                sleep(Duration::from_millis(100)).await;
            }
        };
        let in_time = timeout(PATIENCE, given_back).await;
        let after = daemon.anonymous_kib();
        println!("{before} KiB before, {used} KiB with the window, {after} KiB after");
        assert!(in_time.is_ok(), "{before} KiB before, {after} KiB after");
    }
}

async fn turns(client: &Connection, id: SessionId) {
    let last = session(client, id).await.last_persistent_seq;
    let mut watch = Watch::from(client, id, Some(last.get()), None).await;
    for _ in 0..TURNS {
        send(client, id, "go on").await;
        watch.until("turn_outcome").await;
    }
}

async fn long_conversation(daemon: &DaemonUnderTest, name: &str) -> SessionId {
    let client = connect(&daemon.socket()).await;
    // Registers the project.
    create_session(&client, daemon).await;
    let mut raw = RawConnection::connect(daemon);
    let projects = raw.call("listProjects", &json!({}));
    let project = projects["result"]["projects"][0]["projectId"]
        .as_str()
        .unwrap();
    let path = daemon.root().join(name);
    fs::write(&path, rollout(name)).unwrap();
    let imported = import(&mut raw, project, &path);
    serde_json::from_value(imported["result"]["session"]["sessionId"].clone()).unwrap()
}

fn rollout(character: &str) -> String {
    let line = |kind: &str, payload: Value| {
        let line =
            json!({"timestamp": "2026-03-08T14:30:02.345Z", "type": kind, "payload": payload});
        line.to_string() + "\n"
    };
    let meta = json!({"id": "01990000-0000-7000-8000-000000000001", "cwd": "/home/ada/src",
        "originator": "codex_cli_rs", "cli_version": "0.46.0", "timestamp": "2026-03-08T14:30:00Z"});
    let message = |index: usize| {
        let (role, kind) = [("user", "input_text"), ("assistant", "output_text")][index % 2];
        let text = character.repeat(MESSAGE_BYTES);
        let content = json!([{"type": kind, "text": text}]);
        line(
            "response_item",
            json!({"type": "message", "role": role, "content": content}),
        )
    };
    line("session_meta", meta) + &(0..MESSAGES).map(message).collect::<String>()
}
