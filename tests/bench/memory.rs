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
pub(crate) const PERIOD_OF_SWEEPS: Duration = Duration::from_secs(12);

pub(crate) async fn idle(program: &Path) -> Figure {
    let daemon = DaemonUnderTest::start(program).await;
    sleep(PERIOD_OF_SWEEPS).await;
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

/// The median of what daemons have in memory, in KiB.
pub(crate) fn median_kib(daemons: &[DaemonUnderTest]) -> f64 {
    let mut sizes: Vec<u64> = daemons.iter().map(DaemonUnderTest::resident_kib).collect();
    sizes.sort_unstable();
    sizes[sizes.len() / 2] as f64
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

/// What a long conversation takes while it is in use, and after that.
pub(crate) async fn windows(program: &Path) -> Vec<Figure> {
    let mut figures = Vec::from(window(program).await);
    figures.extend(large_context(program).await);
    figures
}

/// A conversation of 10,000 messages of 1 KiB.
const WINDOW_TURNS: usize = 5_000;
const WINDOW_CHARACTERS: usize = 1024;

/// What the window of a session takes that is idle since a moment ago, and what of its turns stays
/// once the window is gone.
async fn window(program: &Path) -> [Figure; 2] {
    let mut stand = BenchDaemon::new(program).await;
    let session = stand.new_session().await;
    stand.model.fallback(
        ScriptedResponse::chat()
            .text("I have seen it.")
            .finish("stop"),
    );
    stand.daemon.stop().await;
    let dir = stand.daemon.session_dir(&session);
    long_history::append_turns(&dir, &session, WINDOW_TURNS, WINDOW_CHARACTERS);
    let messages = message_bytes(&stand.daemon.log(&session));
    stand.restart().await;
    // Threads, connections and the loaded session are there before.
    let other = stand.new_session().await;
    play_one(&mut stand, &other).await;
    let params = json!({"sessionId": session, "afterSeq": 0, "limit": 1});
    stand.client.call("getEvents", &params).await;
    sleep(QUIET).await;
    let loaded = stand.daemon.resident_kib();
    play_one(&mut stand, &session).await;
    sleep(WINDOW_DROPPED).await;
    let before = stand.daemon.resident_kib();
    for _ in 0..3 {
        play_one(&mut stand, &session).await;
    }
    sleep(PERIOD_OF_SWEEPS).await;
    let held = stand.daemon.resident_kib();
    sleep(WINDOW_DROPPED).await;
    let after = stand.daemon.resident_kib();
    let messages = messages as f64 / 1024.0;
    let with = json!({
        "messagesKib": rounded(messages),
        "loadedKib": loaded,
        "beforeKib": before,
        "heldKib": held,
        "droppedKib": after,
    });
    let held = held.saturating_sub(before) as f64 / messages;
    // Of the session as it was before its first turn: what that turn leaves behind counts too.
    let kept = after as f64 / loaded as f64;
    // The messages, their last request, and the structures around 10,000 small ones.
    [
        ("memory of a window / its messages", held, 2.2),
        ("memory after four turns / before them", kept, 1.5),
    ]
    .map(|(name, value, must)| Figure {
        name,
        value,
        unit: "times",
        goal: Goal::AtMost { must, aim: must },
        with: with.clone(),
    })
}

/// The length of the records of all messages.
fn message_bytes(log: &[Value]) -> usize {
    let messages = log.iter().filter(|record| record["type"] == "message");
    messages.map(|message| message.to_string().len() + 1).sum()
}

/// A conversation of 60 MiB.
const LARGE_TURNS: usize = 5_000;
const LARGE_CHARACTERS: usize = 6 * 1024;

/// What a turn on a large conversation takes at its peak, and what of it stays once the window is
/// gone.
async fn large_context(program: &Path) -> [Figure; 2] {
    let mut stand = BenchDaemon::new(program).await;
    let session = stand.new_session().await;
    stand.model.fallback(
        ScriptedResponse::chat()
            .text("I have seen it.")
            .finish("stop"),
    );
    stand.daemon.stop().await;
    let dir = stand.daemon.session_dir(&session);
    long_history::append_turns(&dir, &session, LARGE_TURNS, LARGE_CHARACTERS);
    stand.restart().await;
    // Threads, connections and the loaded session are there before.
    let other = stand.new_session().await;
    play_one(&mut stand, &other).await;
    let params = json!({"sessionId": session, "afterSeq": 0, "limit": 1});
    stand.client.call("getEvents", &params).await;
    sleep(QUIET).await;
    let before = stand.daemon.resident_kib();
    stand.daemon.reset_peak();
    play_one(&mut stand, &session).await;
    let peak = stand.daemon.peak_kib();
    let context = stand
        .model
        .requests()
        .last()
        .map_or(0, |last| last.body.len()) as f64
        / 1024.0;
    sleep(WINDOW_DROPPED).await;
    let after = stand.daemon.resident_kib();
    let with = json!({"contextKib": rounded(context), "beforeKib": before});
    let (peak_must, after_must) = (3.0 * context + 32.0 * 1024.0, 1.5 * before as f64);
    [
        ("memory of a turn on 60 MiB, peak", peak - before, peak_must),
        ("memory after a turn on 60 MiB", after, after_must),
    ]
    .map(|(name, value, must)| Figure {
        name,
        value: value as f64,
        unit: "KiB",
        goal: Goal::AtMost { must, aim: must },
        with: with.clone(),
    })
}

async fn play_one(stand: &mut BenchDaemon, session: &str) {
    let mut watch = stand.watch(session).await;
    stand.send_message(session).await;
    watch.until("\"turn_outcome\"").await;
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
        events += long_history::append_turns(&dir, session, LONG_TURNS, long_history::CHARACTERS);
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
