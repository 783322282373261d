use std::io;
use std::sync::{Arc, Mutex};

use scorel_engine::{BlobSink, Permit, ToolCall, ToolContext, ToolList, ToolOutcome};
use scorel_fetch::{FetchLimits, WebFetch};
use scorel_proto::{BlobHash, Block};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::server::{Server, redirect, response, typed};

/// Keeps the last content.
#[derive(Debug, Default)]
struct Kept(Mutex<Vec<u8>>);

impl BlobSink for Kept {
    fn store(&self, content: &[u8]) -> io::Result<BlobHash> {
        *self.0.lock().unwrap() = content.to_vec();
        Ok("0".repeat(64).parse().unwrap())
    }
}

struct Tools {
    list: ToolList,
    kept: Arc<Kept>,
}

impl Tools {
    fn new(server: &Server) -> Self {
        let kept = Arc::<Kept>::default();
        let fetcher = server.fetcher(FetchLimits::default());
        let tool = WebFetch::new(fetcher, Arc::clone(&kept) as _);
        let list = ToolList::new(vec![Arc::new(tool)]).unwrap();
        Self { list, kept }
    }

    async fn call(&self, input: Value, cancel: CancellationToken) -> (String, ToolOutcome) {
        let call = ToolCall {
            id: "1".to_owned(),
            name: "WebFetch".to_owned(),
            input,
            invalid_input: None,
        };
        let context = ToolContext {
            updates: watch::Sender::new(None),
            cancel,
        };
        let plan = self.list.plan(call).await;
        let outcome = plan.run(Permit::default(), context).await;
        match outcome.content.as_slice() {
            [Block::Text { text, .. }] => (text.to_string(), outcome),
            other => panic!("{other:?}"),
        }
    }

    async fn run(&self, input: Value) -> (String, ToolOutcome) {
        self.call(input, CancellationToken::new()).await
    }
}

fn figures(outcome: &ToolOutcome) -> Value {
    let mut details = outcome.details.clone().unwrap();
    if let Some(duration) = details.get_mut("durationMs") {
        assert!(duration.is_u64());
        *duration = 0.into();
    }
    details
}

#[tokio::test]
async fn a_page_is_shown_and_measured() {
    let server = Server::new(|_| typed("text/markdown", "Hello **you**\n")).await;
    let tools = Tools::new(&server);
    let url = server.url("/x");
    let (text, outcome) = tools.run(json!({ "url": format!("{url}#part") })).await;
    assert!(!outcome.is_error);
    assert_eq!(text, format!("[{url}]\n\nHello **you**\n"));
    assert_eq!(
        figures(&outcome),
        json!({
            "ok": true, "url": url, "status": 200, "durationMs": 0, "contentType": "text/markdown",
            "bytes": 14, "textBytes": 14, "truncated": false,
        })
    );
}

#[tokio::test]
async fn a_long_page_is_shown_in_part_and_kept_whole() {
    let body = "é".repeat(100_000);
    let server = Server::new(move |_| typed("text/plain", &body)).await;
    let tools = Tools::new(&server);
    let (text, outcome) = tools.run(json!({ "url": server.url("/") })).await;
    assert_eq!(text.matches('é').count(), 25_600);
    assert!(
        text.ends_with("\n[148800 more bytes of text are left out]\n"),
        "{}",
        &text[50_000..]
    );
    assert_eq!(tools.kept.0.lock().unwrap().len(), 200_000);
    let details = figures(&outcome);
    assert_eq!(
        (&details["truncated"], &details["textBytes"]),
        (&true.into(), &200_000.into())
    );
    assert_eq!(details["blob"], "0".repeat(64));
    let (text, _) = tools
        .run(json!({ "url": server.url("/"), "maxBytes": 11 }))
        .await;
    assert_eq!(text.matches('é').count(), 5);
}

#[tokio::test]
async fn a_failure_contains_the_text_of_the_server() {
    let server = Server::new(|_| {
        response(
            "404 Not Found",
            "content-type: text/markdown\r\n",
            b"# Gone",
        )
    })
    .await;
    let (text, outcome) = Tools::new(&server)
        .run(json!({ "url": server.url("/x") }))
        .await;
    assert!(outcome.is_error);
    assert!(
        text.starts_with("E_HTTP_STATUS: the server answered with status 404"),
        "{text}"
    );
    assert!(text.ends_with("# Gone"), "{text}");
    assert_eq!(figures(&outcome)["error"]["details"]["status"], 404);
}

#[tokio::test]
async fn the_new_address_of_a_page_is_reported() {
    let server =
        Server::new(|_| redirect("301 Moved Permanently", "https://example.org/new")).await;
    let (text, outcome) = Tools::new(&server)
        .run(json!({ "url": server.url("/x") }))
        .await;
    assert!(
        !outcome.is_error && text.contains("\nhttps://example.org/new\n"),
        "{text}"
    );
    assert_eq!(figures(&outcome)["redirect"], "https://example.org/new");
}

#[tokio::test]
async fn an_address_that_cannot_be_fetched_is_not_offered() {
    for location in [
        "file:///etc/passwd",
        "ftp://example.org/",
        "javascript:alert(1)",
        "data:text/plain,x",
        "about:blank",
        "unix:/run/docker.sock",
        "http://user:pw@example.org/",
        "https://user@example.org/",
        "http://",
        "http://../",
        "http://1.2.3.4.5../",
        &format!("https://example.org/{}", "x".repeat(8 << 10)),
    ] {
        let location = location.to_owned();
        let server = Server::new(move |_| redirect("302 Found", &location)).await;
        let tools = Tools::new(&server);
        let (text, outcome) = tools.run(json!({ "url": server.url("/x") })).await;
        assert!(outcome.is_error, "{text}");
        assert!(
            text.starts_with("E_BAD_RESPONSE: the server redirects to"),
            "{text}"
        );
        assert!(!text.contains("pw@"), "{text}");
    }
}

#[tokio::test]
async fn bad_arguments_are_refused() {
    let server = Server::new(|_| typed("text/plain", "x")).await;
    let tools = Tools::new(&server);
    for (input, code) in [
        (json!({}), "E_INVALID_ARGUMENTS"),
        (
            json!({ "url": "file:///etc/passwd" }),
            "E_INVALID_ARGUMENTS",
        ),
        (
            json!({ "url": server.url("/"), "maxBytes": 0 }),
            "E_INVALID_ARGUMENTS",
        ),
        (
            json!({ "url": server.url("/"), "maxBytes": 300_000 }),
            "E_INVALID_ARGUMENTS",
        ),
        (
            json!({ "url": server.url(&"x".repeat(9_000)) }),
            "E_INVALID_ARGUMENTS",
        ),
        (
            json!({ "url": server.url("/"), "method": "POST" }),
            "E_INVALID_ARGUMENTS",
        ),
        (json!({ "url": "http://127.0.0.1:1/" }), "E_ADDRESS_REFUSED"),
    ] {
        let (text, outcome) = tools.run(input.clone()).await;
        assert!(
            outcome.is_error && text.starts_with(code),
            "{input}: {text}"
        );
    }
    assert_eq!(server.requests(), [""; 0]);
}

#[tokio::test]
async fn a_fetch_ends_when_it_is_cancelled() {
    let mut server = Server::new(|_| {
        [
            b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nhalf",
            Server::SILENCE,
        ]
        .concat()
    })
    .await;
    let tools = Tools::new(&server);
    let cancel = CancellationToken::new();
    let call = tools.call(json!({ "url": server.url("/") }), cancel.clone());
    let cancelling = async {
        while server.requests().is_empty() {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let ((text, outcome), ()) = tokio::join!(call, cancelling);
    assert!(
        outcome.is_error && text.starts_with("E_CANCELLED"),
        "{text}"
    );
    server.ended.recv().await.unwrap();
}
