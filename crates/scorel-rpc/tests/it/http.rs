//! `GET` on the Unix socket, beside JSON-RPC.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _};
use scorel_rpc::{
    CallObserver, HttpDocument, HttpDocuments, Listener, RpcLimits, Service, Table, local_user,
};
use serde_json::value::to_raw_value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::methods;
use crate::peer::PATIENCE;

#[derive(Debug)]
struct OnePage;

impl HttpDocuments for OnePage {
    fn find(&self, path: &str) -> Option<BoxFuture<'static, HttpDocument>> {
        let document = HttpDocument {
            content_type: "text/plain",
            text: "the page\n".to_owned(),
        };
        (path == "/page").then(|| std::future::ready(document).boxed())
    }
}

#[derive(Debug, Default)]
struct Answered(Mutex<Vec<&'static str>>);

impl CallObserver for Answered {
    fn answered(&self, method: &'static str, took: Duration) {
        assert!(took < PATIENCE);
        self.0.lock().unwrap().push(method);
    }
}

struct HttpScene {
    directory: TempDir,
    answered: Arc<Answered>,
    shutdown: CancellationToken,
    served: JoinHandle<()>,
}

impl HttpScene {
    fn new(limits: RpcLimits) -> Self {
        let directory = TempDir::new().unwrap();
        let listener = Listener::bind(&directory.path().join("s"), false).unwrap();
        let listener = listener.with_documents(Arc::new(OnePage));
        let answered = Arc::<Answered>::default();
        let mut table = Table::new(Arc::new(()));
        table.observe(Arc::clone(&answered) as _);
        let echo = |_, _, _| async { Ok(to_raw_value("echo").unwrap()) };
        table.method(methods::spec("echo", &[]), echo).unwrap();
        let shutdown = CancellationToken::new();
        let service = Service::new(table.build(), limits, shutdown.clone()).unwrap();
        let uid = nix::unistd::getuid().as_raw();
        let served = tokio::spawn(async move { service.listen(listener, local_user(uid)).await });
        Self {
            directory,
            answered,
            shutdown,
            served,
        }
    }

    async fn connect(&self) -> UnixStream {
        let path = self.directory.path().join("s");
        UnixStream::connect(path).await.unwrap()
    }

    /// Sends the pieces one by one, and reads to the end.
    async fn ask(&self, pieces: &[&[u8]]) -> String {
        let mut stream = self.connect().await;
        for piece in pieces {
            stream.write_all(piece).await.unwrap();
            tokio::task::yield_now().await;
        }
        rest(&mut stream).await
    }
}

async fn rest(stream: &mut UnixStream) -> String {
    let mut answer = String::new();
    let read = timeout(PATIENCE, stream.read_to_string(&mut answer)).await;
    read.expect("the connection ends").unwrap();
    answer
}

#[tokio::test(start_paused = true)]
async fn a_page_is_answered_however_its_request_is_cut() {
    let scene = HttpScene::new(RpcLimits::default());
    let request = b"GET /page HTTP/1.1\r\nHost: x\r\n\r\n";
    let whole = scene.ask(&[request]).await;
    assert_eq!(
        whole,
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\
         Connection: close\r\n\r\nthe page\n"
    );
    for cut in 1..request.len() {
        let (first, second) = request.split_at(cut);
        assert_eq!(scene.ask(&[first, second]).await, whole, "cut at {cut}");
    }
}

#[tokio::test(start_paused = true)]
async fn json_rpc_is_served_beside_it_and_only_its_known_methods_are_told() {
    let scene = HttpScene::new(RpcLimits::default());
    let mut stream = scene.connect().await;
    for method in ["echo", "echoo", "GET"] {
        let call = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\"}}\n");
        stream.write_all(call.as_bytes()).await.unwrap();
    }
    scene.ask(&[b"GET /page HTTP/1.1\r\n\r\n"]).await;
    stream.shutdown().await.unwrap();
    let replies = rest(&mut stream).await;
    assert!(replies.contains(r#""result":"echo""#), "{replies}");
    assert_eq!(replies.matches("method_not_found").count(), 2, "{replies}");
    assert_eq!(*scene.answered.0.lock().unwrap(), ["echo"]);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_does_not_end_frees_its_slot_in_time() {
    let limits = RpcLimits {
        connections: 1,
        ..RpcLimits::default()
    };
    let scene = HttpScene::new(limits);
    let mut slow = scene.connect().await;
    slow.write_all(b"GET /page HTTP/1.1\r\n").await.unwrap();
    assert_eq!(rest(&mut slow).await, "", "no answer");
    let next = scene.ask(&[b"GET /page HTTP/1.1\r\n\r\n"]).await;
    assert!(next.ends_with("the page\n"), "{next}");
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_says_nothing_ends_with_the_service() {
    let scene = HttpScene::new(RpcLimits::default());
    let mut silent = scene.connect().await;
    let mut open = scene.connect().await;
    open.write_all(b"GET /pa").await.unwrap();
    // Accepted: a later connection is served.
    scene.ask(&[b"GET /page HTTP/1.1\r\n\r\n"]).await;
    scene.shutdown.cancel();
    timeout(PATIENCE, scene.served)
        .await
        .expect("it ends")
        .unwrap();
    assert_eq!(rest(&mut silent).await, "");
    assert_eq!(rest(&mut open).await, "");
}
