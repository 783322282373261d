use std::path::Path;
use std::time::Duration;

use scorel_testkit::{DaemonUnderTest, ScriptedResponse};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::bench_client::BenchClient;
use crate::bench_daemon::{BenchDaemon, Filled};
use crate::figure::{Figure, Goal, rounded};
use crate::long_history;

/// The idle time before memory is measured.
const QUIET: Duration = Duration::from_secs(5);

/// Longer than the daemon takes from one sweep of idle sessions to the next.
const PERIOD_OF_SWEEPS: Duration = Duration::from_secs(12);

pub(crate) async fn idle(program: &Path) -> Figure {
    let daemon = DaemonUnderTest::start(program).await;
    sleep(QUIET).await;
    Figure {
        name: "memory idle",
        value: daemon.resident_kib() as f64,
        unit: "KiB",
        goal: Goal::AtMost {
            must: 18.0 * 1024.0,
            aim: 15.0 * 1024.0,
        },
        with: json!({}),
    }
}

/// The memory of a loaded, idle session.
pub(crate) async fn loaded(filled: &Filled) -> Figure {
    let daemon = &filled.daemon;
    sleep(QUIET).await;
    let before = daemon.resident_kib();
    let mut client = BenchClient::connect(&daemon.socket()).await;
    for session in &filled.sessions {
        let params = json!({"sessionId": session, "afterSeq": 0, "limit": 1});
        client.call("getEvents", &params).await;
    }
    sleep(QUIET).await;
    let status = client.call("getStatus", &json!({})).await;
    let measured = PerSession {
        sessions: filled.sessions.len(),
        events: filled.events,
        before,
        after: daemon.resident_kib(),
    };
    measured.figure("memory per loaded idle session", &status)
}

/// How many sessions have turns, and how many of them each, before memory is looked at.
const BUSY_SESSIONS: usize = 300;
const BUSY_TURNS: usize = 2;

/// How many sessions with how many turns are loaded from long logs.
const LONG_SESSIONS: usize = 20;
const LONG_TURNS: usize = 5_000;

/// How long a session keeps its window after a turn, and the period of the sweep that drops it.
const WINDOW_DROPPED: Duration = Duration::from_secs(60 + 10 + 2);

pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    vec![after_turns(program).await, long(program).await]
}

/// What a session adds in which turns were played, once all that belongs to turns is gone.
async fn after_turns(program: &Path) -> Figure {
    let mut bench = BenchDaemon::new(program).await;
    let answer = ScriptedResponse::chat()
        .text("I have seen it.")
        .finish("stop");
    bench.model.fallback(answer);
    // Connections, threads and their stacks come with the first turns, not with a session.
    play(&mut bench, 20, BUSY_TURNS).await;
    sleep(WINDOW_DROPPED).await;
    let before = bench.daemon.resident_kib();
    let events = play(&mut bench, BUSY_SESSIONS, BUSY_TURNS).await;
    sleep(WINDOW_DROPPED).await;
    let status = bench.client.call("getStatus", &json!({})).await;
    let measured = PerSession {
        sessions: BUSY_SESSIONS,
        events,
        before,
        after: bench.daemon.resident_kib(),
    };
    measured.figure("memory per idle session after its turns", &status)
}

/// Makes sessions and plays turns in them, a call of a tool in each. How many records they have.
async fn play(bench: &mut BenchDaemon, sessions: usize, turns: usize) -> usize {
    let mut events = 0;
    for _ in 0..sessions {
        let session = bench.new_session().await;
        let mut watch = bench.watch(&session).await;
        for _ in 0..turns {
            let call = ScriptedResponse::chat().tool_call("call_1", "Glob", r#"{"pattern":"*"}"#);
            bench.model.answer(call.finish("tool_calls"));
            bench.send_message(&session).await;
            watch.until("\"turn_outcome\"").await;
        }
        events += bench.daemon.log(&session).len() - 1;
    }
    events
}

/// What a session adds that is loaded from a long log.
async fn long(program: &Path) -> Figure {
    let mut bench = BenchDaemon::new(program).await;
    let mut sessions = Vec::new();
    for _ in 0..LONG_SESSIONS {
        sessions.push(bench.new_session().await);
    }
    bench.daemon.stop().await;
    let mut events = 0;
    for session in &sessions {
        let dir = bench.daemon.session_dir(session);
        events += long_history::append_turns(&dir, session, LONG_TURNS);
    }
    bench.restart().await;
    sleep(QUIET).await;
    let before = bench.daemon.resident_kib();
    for session in &sessions {
        let params = json!({"sessionId": session, "afterSeq": 0, "limit": 1});
        bench.client.call("getEvents", &params).await;
    }
    sleep(PERIOD_OF_SWEEPS).await;
    let status = bench.client.call("getStatus", &json!({})).await;
    let measured = PerSession {
        sessions: LONG_SESSIONS,
        events,
        before,
        after: bench.daemon.resident_kib(),
    };
    measured.figure("memory per loaded idle session, 10,000 messages", &status)
}

/// What some sessions made of the memory of a daemon, in KiB.
struct PerSession {
    sessions: usize,
    events: usize,
    before: u64,
    after: u64,
}

impl PerSession {
    fn figure(&self, name: &'static str, status: &Value) -> Figure {
        let sessions = self.sessions as f64;
        let events = self.events as f64 / sessions;
        let allowed = 64.0 + 64.0 * events / 1024.0;
        Figure {
            name,
            value: self.after.saturating_sub(self.before) as f64 / sessions,
            unit: "KiB",
            goal: Goal::AtMost {
                must: allowed,
                aim: allowed,
            },
            with: json!({
                "loadedSessions": status["loadedSessions"],
                "eventsPerSession": rounded(events),
                "idleKib": self.before,
            }),
        }
    }
}
