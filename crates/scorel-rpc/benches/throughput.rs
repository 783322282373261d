//! Round trips and notifications over a real Unix socket. Prints one JSON object a line.

#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on stops")]
#![expect(clippy::print_stdout, reason = "the figures are the output")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use scorel_rpc::{
    AccessLevel, Listener, MethodKind, MethodSpec, MethodTable, RpcLimits, Service, Sink, Table,
    local_user,
};
use serde_json::json;
use serde_json::value::RawValue;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio_util::sync::CancellationToken;

const CALLS: usize = 20_000;
const EVENTS: usize = 500_000;
const EVENT: &[u8] =
    br#"{"seq":123456,"type":"text_delta","messageId":"evt_01","index":0,"delta":"some words "}"#;
const ECHO: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":{}}\n";

fn table() -> Arc<MethodTable> {
    let mut table = Table::new(Arc::new(()));
    let spec = |name, kind| MethodSpec {
        name,
        access: AccessLevel::Read,
        kind,
        params: &[],
        reply: 0,
    };
    table
        .method(spec("echo", MethodKind::Call), |_, _, _| async {
            Ok(RawValue::TRUE.to_owned())
        })
        .unwrap();
    for (name, batch) in [("single", 1), ("batches", 64)] {
        table
            .method(
                spec(name, MethodKind::Subscribe),
                move |_, call, _| async move {
                    Ok(call
                        .subscribe("event")?
                        .spawn(move |sink| flood(sink, batch)))
                },
            )
            .unwrap();
    }
    table.build()
}

async fn flood(sink: Sink, batch: usize) {
    let events = vec![Bytes::from_static(EVENT); batch];
    while sink.send_batch(&events).await.is_ok() {}
}

async fn round_trips(path: &Path) -> Duration {
    let mut stream = UnixStream::connect(path).await.unwrap();
    let mut buffer = [0; 1024];
    let mut times = Vec::with_capacity(CALLS);
    for _ in 0..CALLS {
        let started = Instant::now();
        stream.write_all(ECHO).await.unwrap();
        let mut read = 0;
        while !buffer[..read].ends_with(b"\n") {
            read = stream.read(&mut buffer).await.unwrap();
        }
        times.push(started.elapsed());
    }
    times.sort_unstable();
    times[CALLS / 2]
}

async fn notifications(path: &Path, method: &str) -> f64 {
    let mut stream = UnixStream::connect(path).await.unwrap();
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": method});
    stream
        .write_all(format!("{request}\n").as_bytes())
        .await
        .unwrap();
    let mut buffer = vec![0; 256 * 1024];
    let (started, mut lines) = (Instant::now(), 0);
    while lines < EVENTS {
        let read = stream.read(&mut buffer).await.unwrap();
        lines += memchr::memchr_iter(b'\n', &buffer[..read]).count();
    }
    lines as f64 / started.elapsed().as_secs_f64()
}

async fn bare_echo(listener: UnixListener) {
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        tokio::spawn(async move {
            let mut buffer = [0; 1024];
            while let Ok(read @ 1..) = stream.read(&mut buffer).await {
                stream.write_all(&buffer[..read]).await.unwrap();
            }
        });
    }
}

#[tokio::main]
async fn main() {
    let directory = tempfile::tempdir().unwrap();
    let (path, bare) = (directory.path().join("s"), directory.path().join("b"));
    let service = Service::new(table(), RpcLimits::default(), CancellationToken::new()).unwrap();
    let listener = Listener::bind(&path, false).unwrap();
    let uid = nix::unistd::getuid().as_raw();
    tokio::spawn(async move { service.listen(listener, local_user(uid)).await });
    tokio::spawn(bare_echo(UnixListener::bind(&bare).unwrap()));
    let (bare, call) = (round_trips(&bare).await, round_trips(&path).await);
    println!(
        "{}",
        json!({
            "round_trip_us": call.as_secs_f64() * 1e6,
            "bare_echo_us": bare.as_secs_f64() * 1e6,
            "ratio": call.as_secs_f64() / bare.as_secs_f64(),
        })
    );
    for method in ["single", "batches"] {
        let rate = notifications(&path, method).await.round();
        println!(
            "{}",
            json!({ "notifications_per_second": rate, "sent": method })
        );
    }
}
