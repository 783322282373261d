//! Runners that print their secrets, whole, in pieces and in JSON.

use scorel_client::Connection;
use scorel_proto::SessionId;
use scorel_testkit::{DaemonUnderTest, ModelServer};
use serde_json::{Value, json};

use super::pipes::NamedPipe;
use super::{answer_of, disk, only, send_to};
use crate::under_test::{Watch, daemon, new_session};

/// With characters that JSON escapes.
const SECRET: &str = r#"sk-"canary"\0123xyzzy"#;

/// What of it may stand nowhere. No digits: times and random names have any four of them.
const PARTS: [&str; 2] = ["canary", "xyzzy"];

/// Of a line of JSON with the secret in it.
const ESCAPE: &str = r#"json=${KEY//\\/\\\\}; json=${json//\"/\\\"}"#;

#[tokio::test]
async fn a_secret_is_cut_out_of_output_and_log() {
    let script = r#"printf 'a %s b\n' "$KEY"; printf 'c %s d\n' "$KEY" >&2"#;
    let mut scene = EchoScene::start(script, "text").await;
    let events = scene.turn().await;
    assert_eq!(text(&events), "a [secret] b\n");
    assert_eq!(scene.log(&events), "c [secret] d\n");
    scene.check_absent(&events);
}

#[tokio::test]
async fn a_secret_that_is_written_in_two_pieces_is_cut_out() {
    let script = r#"
        printf 'a %s' "${KEY:0:8}"; read -r _ <go; printf '%s b\n' "${KEY:8}"
        printf 'c %s' "${KEY:0:8}" >&2; read -r _ <go; printf '%s d\n' "${KEY:8}" >&2"#;
    let mut scene = EchoScene::start(script, "text").await;
    let mut go = NamedPipe::make(&scene.daemon.project().join("go"));
    send_to(&scene.client, scene.id, "echo", "go").await;
    // An event proves that the daemon has read the piece before.
    let mut events = scene.watch.until("text_delta").await;
    go.write_line().await;
    events.extend(scene.watch.until("runner_log").await);
    go.write_line().await;
    events.extend(scene.watch.until("turn_outcome").await);
    assert_eq!(text(&events), "a [secret] b\n");
    assert_eq!(scene.log(&events), "c [secret] d\n");
    scene.check_absent(&events);
}

#[tokio::test]
async fn a_secret_is_cut_out_of_lines_of_json() {
    let script = format!(
        r#"{ESCAPE}
        echo "{{\"type\":\"log\",\"stream\":\"stderr\",\"data\":\"c $json d\"}}"
        echo "{{\"type\":\"text\",\"text\":\"a $json b\"}}""#
    );
    let mut scene = EchoScene::start(&script, "events").await;
    let events = scene.turn().await;
    assert_eq!(text(&events), "a [secret] b");
    assert_eq!(scene.log(&events), "c [secret] d\n");
    scene.check_absent(&events);
}

#[tokio::test]
async fn a_secret_that_is_told_in_pieces_is_cut_out() {
    let script = format!(
        r#"{ESCAPE}
        for part in 'a ' "${{json:0:6}}" "${{json:6}}" ' b'; do
            echo "{{\"type\":\"text\",\"delta\":true,\"text\":\"$part\"}}"
        done"#
    );
    let mut scene = EchoScene::start(&script, "events").await;
    let events = scene.turn().await;
    assert_eq!(text(&events), "a [secret] b");
    scene.check_absent(&events);
}

#[tokio::test]
async fn the_end_of_a_log_does_not_begin_in_a_secret() {
    // The error has the last 2 KiB, which are the end of the secret and this.
    let script = r#"printf '%s' "$KEY" >&2; head -c 2042 /dev/zero | tr '\0' x >&2; exit 3"#;
    let mut scene = EchoScene::start(script, "text").await;
    let events = scene.turn().await;
    let outcome = only(&events, "turn_outcome");
    assert_eq!(outcome["error"]["code"], "runner_failed");
    assert!(outcome.to_string().contains("xxxx"), "{outcome}");
    scene.check_absent(&events);
}

/// A command that is given the secret as `KEY`.
struct EchoScene {
    daemon: DaemonUnderTest,
    client: Connection,
    id: SessionId,
    watch: Watch,
}

impl EchoScene {
    async fn start(script: &str, output: &str) -> Self {
        let model = ModelServer::start().await.unwrap();
        let command = json!(["/bin/bash", "-c", script]);
        let config = format!(
            "[runners.echo]\ntype = \"command\"\noutput = \"{output}\"\ncommand = {command}\n\
             trustOwn = true\nsecretEnv = {{ KEY = \"SECRET\" }}\n"
        );
        let daemon = daemon(&model, &config).await;
        disk::write_private(&daemon.home().join("env"), &format!("SECRET={SECRET}\n"));
        let (client, id) = new_session(&daemon).await;
        let watch = Watch::from_start(&client, id).await;
        Self {
            daemon,
            client,
            id,
            watch,
        }
    }

    async fn turn(&mut self) -> Vec<Value> {
        send_to(&self.client, self.id, "echo", "go").await;
        self.watch.until("turn_outcome").await
    }

    /// The log of the turn, as it is kept.
    fn log(&self, events: &[Value]) -> String {
        let blob = only(events, "runner_exit")["log"]["blob"].as_str().unwrap();
        let all = disk::below(&self.daemon.session_dir(&self.id.to_string()));
        let found = all.into_iter().find(|(name, _)| name.contains(blob));
        found.expect("the blob").1
    }

    fn check_absent(&self, events: &[Value]) {
        for part in PARTS {
            for event in events {
                assert!(!event.to_string().contains(part), "{event}");
            }
            for (name, text) in disk::below(self.daemon.root()) {
                assert!(name == "home/env" || !text.contains(part), "{name}: {text}");
            }
        }
    }
}

/// The text of the answer.
fn text(events: &[Value]) -> &str {
    let message = &answer_of(events)["message"];
    message["content"][0]["text"].as_str().unwrap()
}
