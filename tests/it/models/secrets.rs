//! A key is stored where it was put, is sent to its endpoint, and appears nowhere else.

use std::fs;
use std::path::{Path, PathBuf};

use scorel_client::Connection;
use scorel_proto::{SendMessage, SessionId};
use scorel_testkit::{DaemonUnderTest, ModelServer, ScriptedResponse};

use super::KEY;
use crate::under_test::{SCORELD, Watch, connect, message, new_session};

/// The files below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| {
        if path.is_dir() {
            files(&path)
        } else {
            vec![path]
        }
    };
    paths.flat_map(below).collect()
}

fn holds_key(path: &Path) -> bool {
    let bytes = fs::read(path).unwrap_or_default();
    bytes.windows(6).any(|window| window == b"canary")
}

async fn turn(client: &Connection, session: SessionId, watch: &mut Watch) -> String {
    let params = message(session, "hi");
    client.call::<SendMessage>(&params).await.unwrap();
    let seen = watch.until("turn_outcome").await;
    serde_json::to_string(&seen).unwrap()
}

/// The endpoint echoes the key in every way it can, and the daemon logs at the highest level.
#[tokio::test]
async fn a_key_that_an_endpoint_echoes_is_in_no_file_and_no_event() {
    let server = ModelServer::start().await.unwrap();
    let mut daemon = DaemonUnderTest::new(SCORELD).with_variable("LAB_KEY", KEY);
    let talkative = r#"exec "$0" --log-level trace "$@""#;
    daemon.run_under(["sh", "-c", talkative].map(str::to_owned).to_vec());
    daemon.configure(&format!(
        "[model]\ntype = \"custom\"\napi = \"openai-completions\"\nprovider = \"lab\"\nid = \"m\"\n\
         baseUrl = \"{}\"\napiKeyEnv = \"LAB_KEY\"\n[runtime]\nretries = 0\n",
        server.base_url()
    ));
    daemon.spawn().await;
    let (client, session) = new_session(&daemon).await;
    let watching = connect(&daemon.socket()).await;
    let mut watch = Watch::from_start(&watching, session).await;
    let error = format!(r#"{{"error":{{"message":"bad key {KEY}","code":"{KEY}"}}}}"#);
    for answer in [
        ScriptedResponse::json(401, error.clone()),
        ScriptedResponse::json(500, error.clone()),
        ScriptedResponse::status(403).write(format!("<html>{KEY}</html>")),
        ScriptedResponse::event_stream(format!("data: {error}\n\n")),
        ScriptedResponse::event_stream(format!("error: {error}\n\n")),
        ScriptedResponse::event_stream(format!("data: not json {KEY}\n\n")),
        ScriptedResponse::status(302).header("location", format!("http://127.0.0.1:1/{KEY}")),
        ScriptedResponse::status(429)
            .header("retry-after", KEY)
            .header("x-request-id", KEY),
    ] {
        server.answer(answer);
        let seen = turn(&client, session, &mut watch).await;
        assert!(seen.contains("\"error\""), "the failure is told: {seen}");
        assert!(!seen.contains("canary"), "{seen}");
    }
    daemon.stop().await;
    let bearer = format!("Bearer {KEY}");
    let requests = server.requests();
    assert_eq!(requests.len(), 8);
    for request in requests {
        assert_eq!(request.header("authorization"), Some(bearer.as_str()));
    }
    let logged = files(&daemon.home().join("logs"));
    assert!(!logged.is_empty(), "the daemon's log is looked at");
    let leaks: Vec<_> = files(daemon.root())
        .into_iter()
        .filter(|path| holds_key(path))
        .collect();
    assert_eq!(leaks, Vec::<PathBuf>::new());
}
