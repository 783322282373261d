use std::time::{Duration, Instant};

use scorel_testkit::{ResponseGate, ScriptedResponse};

use crate::bench_daemon::{BenchDaemon, send_message};

/// A turn: the time from the message to the request, and the request's length in bytes.
pub(super) async fn to_request(bench: &mut BenchDaemon, session: &str) -> (Duration, usize) {
    let mut watch = bench.watch(session).await;
    let asked = ResponseGate::new();
    let done = ScriptedResponse::chat().text("done").finish("stop");
    bench
        .model
        .answer(ScriptedResponse::from(done).hold(&asked));
    bench.model.take_requests();
    let line = send_message(session);
    let started = Instant::now();
    bench.client.send(&line).await;
    asked.reached().await;
    let wait = started.elapsed();
    asked.open();
    watch.until("\"turn_outcome\"").await;
    bench.client.until("\"id\":1").await;
    let requests = bench.model.take_requests();
    (wait, requests.last().unwrap().body.len())
}
