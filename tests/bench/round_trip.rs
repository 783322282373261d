use std::path::Path;
use std::time::Instant;

use scorel_testkit::DaemonUnderTest;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use crate::bare::Bare;
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;
use crate::wire::request;

const ROUNDS: usize = 20;
const CALLS: usize = 1_000;

/// A call that needs nothing but the daemon's attention, beside an echo of the same bytes. Both
/// take turns, so that whatever else the machine does strikes both.
pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    let daemon = DaemonUnderTest::start(program).await;
    let mut called = UnixStream::connect(daemon.socket()).await.unwrap();
    let mut bare = Bare::start("bare-echo", 1, &[]).await;
    let hello = request("hello", &json!({"protocol": {"min": 1, "max": 1}}));
    let (mut call, mut echo) = (Samples::default(), Samples::default());
    for _ in 0..ROUNDS {
        round(&mut bare.sockets[0], &hello, &mut echo).await;
        round(&mut called, &hello, &mut call).await;
    }
    vec![Figure {
        name: "cheap call round trip / bare echo",
        value: call.p50() / echo.p50(),
        unit: "ratio",
        goal: Goal::AtMost {
            must: 3.0,
            aim: 2.0,
        },
        with: json!({
            "callMs": rounded(call.p50()),
            "callP99Ms": rounded(call.p99()),
            "echoMs": rounded(echo.p50()),
            "echoP99Ms": rounded(echo.p99()),
        }),
    }]
}

async fn round(stream: &mut UnixStream, line: &[u8], samples: &mut Samples) {
    let mut buffer = [0; 4096];
    for _ in 0..CALLS {
        let started = Instant::now();
        stream.write_all(line).await.unwrap();
        let mut read = 0;
        while !buffer[..read].ends_with(b"\n") {
            read = stream.read(&mut buffer).await.unwrap();
        }
        samples.push(started.elapsed());
    }
}
