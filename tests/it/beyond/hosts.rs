//! `WebFetch` of private hosts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use scorel_proto::PermissionDecision;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::Calls;

/// A server of this machine that counts its requests.
struct LocalServer {
    port: u16,
    requests: Arc<AtomicUsize>,
}

impl LocalServer {
    /// `head` has the status line and headers of every answer.
    async fn new(head: String, body: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::<AtomicUsize>::default();
        let count = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    request.push(stream.read_u8().await.unwrap());
                }
                count.fetch_add(1, Ordering::Relaxed);
                let length = body.len();
                let answer = format!("{head}content-length: {length}\r\n\r\n{body}");
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        Self { port, requests }
    }

    async fn page(body: &'static str) -> Self {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n";
        Self::new(head.to_owned(), body).await
    }

    fn requests(&self) -> usize {
        self.requests.load(Ordering::Relaxed)
    }

    fn fetch(&self, host: &str) -> (&'static str, Value) {
        let url = format!("http://{host}:{}/", self.port);
        ("WebFetch", json!({ "url": url }))
    }
}

const ALL: &str = "[tools]\npreset = \"all\"\n";

#[tokio::test]
async fn a_private_host_is_fetched_after_a_yes_and_only_then() {
    let server = LocalServer::page("status page").await;
    for mode in ["readonly", "workspace", "full"] {
        let calls = Calls::new(&format!("{ALL}[permissions]\nmode = \"{mode}\"\n")).await;
        let fetches = [server.fetch("localhost"), server.fetch("127.0.0.1")];
        let before = server.requests();
        let answered = calls.play(&fetches, PermissionDecision::Deny).await;
        assert_eq!(answered.asked.len(), 2, "{mode}");
        assert_eq!(server.requests(), before, "{mode}");
        let answered = calls.play(&fetches, PermissionDecision::Once).await;
        assert_eq!(answered.asked.len(), 2, "{mode}");
        let reason = answered.asked[0]["reason"].as_str().unwrap();
        assert!(
            reason.contains("localhost is not a public address"),
            "{reason}"
        );
        for index in 0..2 {
            assert!(answered.ok(index).contains("status page"), "{mode}");
        }
        assert_eq!(server.requests(), before + 2);
    }
}

#[tokio::test]
async fn a_rule_that_names_the_host_is_enough() {
    let server = LocalServer::page("status page").await;
    let rules = "allow = [\"WebFetch(domain:localhost)\", \"WebFetch(domain:127.0.0.1)\"]";
    let calls = Calls::new(&format!("{ALL}[permissions]\n{rules}\n")).await;
    let fetches = [server.fetch("localhost"), server.fetch("127.0.0.1")];
    let answered = calls.play(&fetches, PermissionDecision::Deny).await;
    assert!(answered.asked.is_empty(), "{:#?}", answered.asked);
    assert!(answered.ok(0).contains("status page") && answered.ok(1).contains("status page"));
    let calls = Calls::new(&format!("{ALL}[permissions]\nallow = [\"WebFetch\"]\n")).await;
    let answered = calls
        .play(&[server.fetch("localhost")], PermissionDecision::Deny)
        .await;
    assert_eq!(answered.asked.len(), 1, "every host is not this machine");
}

#[tokio::test]
async fn a_redirect_is_judged_like_the_first_address() {
    let secret = LocalServer::page("secret").await;
    let to = format!("http://127.0.0.1:{}/", secret.port);
    let head = format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\n");
    let server = LocalServer::new(head, "").await;
    let calls = Calls::new(ALL).await;
    let fetches = [server.fetch("127.0.0.1"), secret.fetch("127.0.0.1")];
    let answered = calls.play(&fetches[..1], PermissionDecision::Once).await;
    assert!(answered.ok(0).contains(&to), "{}", answered.ok(0));
    assert_eq!((server.requests(), secret.requests()), (1, 0));
    let answered = calls.play(&fetches[1..], PermissionDecision::Deny).await;
    assert_eq!((answered.asked.len(), secret.requests()), (1, 0));
}
