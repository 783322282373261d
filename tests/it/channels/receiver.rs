//! `docs/channels/receiver`, as it is published.

use std::process::Stdio;

use scorel_proto::SessionId;
use scorel_testkit::{ModelServer, ScriptedChat};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use crate::extensions::has;
use crate::under_test::{PATIENCE, daemon, new_session};

const SECRET: &str = "a secret of the test";

/// The receiver, with the port that it listens at.
async fn receiver(home: &std::path::Path, session: SessionId) -> (Child, u16) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/channels/receiver");
    let mut child = Command::new("python3")
        .args([script, &session.to_string(), "0"])
        .env("SECRET", SECRET)
        .env("SCOREL_HOME", home)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = timeout(PATIENCE, lines.next_line()).await.expect("in time");
    let line = line.unwrap().expect("its port");
    let port = line.strip_prefix("port ").unwrap().parse().unwrap();
    (child, port)
}

/// HMAC-SHA-256, in hexadecimal.
fn signature(text: &[u8]) -> String {
    let pad = |byte: u8| {
        let mut key = [byte; 64];
        key.iter_mut()
            .zip(SECRET.bytes())
            .for_each(|(to, from)| *to ^= from);
        key
    };
    let inner = Sha256::new().chain_update(pad(0x36)).chain_update(text);
    let outer = Sha256::new()
        .chain_update(pad(0x5c))
        .chain_update(inner.finalize());
    format!("{:x}", outer.finalize())
}

/// Posts a text and returns the status.
async fn post(port: u16, id: &str, text: &str, signature: &str) -> u16 {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let request = format!(
        "POST / HTTP/1.0\r\nContent-Length: {}\r\nX-Id: {id}\r\nX-Signature: {signature}\r\n\r\n{text}",
        text.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let read = timeout(PATIENCE, stream.read_to_string(&mut answer)).await;
    read.expect("in time").unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn a_message_that_is_posted_five_times_is_accepted_once() {
    if !has("python3") {
        return;
    }
    let model = ModelServer::start().await.unwrap();
    model.fallback(ScriptedChat::default().text("Yes.").finish("stop"));
    let mut daemon = daemon(&model, "").await;
    let (_client, id) = new_session(&daemon).await;
    let (_receiver, port) = receiver(&daemon.home(), id).await;
    let (text, signed) = ("Is it green?", signature(b"d1.Is it green?"));
    for attempt in 0..5 {
        if attempt == 3 {
            daemon.kill().await;
            assert_eq!(post(port, "d1", text, &signed).await, 503, "to be repeated");
            daemon.spawn().await;
        }
        assert_eq!(post(port, "d1", text, &signed).await, 202, "{attempt}");
    }
    assert_eq!(post(port, "d2", text, &signed).await, 401, "another id");
    assert_eq!(post(port, "d1", "Is it red?", &signed).await, 401);
    let log = daemon.log(&id.to_string());
    let users: Vec<_> = log
        .iter()
        .filter(|it| it["message"]["role"] == "user")
        .collect();
    assert_eq!(users.len(), 1);
    assert_eq!(
        users[0]["message"]["meta"]["channel"]["channel"],
        "receiver"
    );
}
