use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use scorel_testkit::{ResponseGate, ScriptedResponse};
use serde_json::json;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{UnixListener, UnixStream};
use tokio::time::sleep;

use crate::bench_daemon::BenchDaemon;
use crate::figure::{Figure, Goal, rounded};
use crate::samples::Samples;

const DELTAS: usize = 2_000;

/// As many as may run at a time.
const PROCESSES: usize = 16;

/// The idle time before memory is measured.
const QUIET: Duration = Duration::from_secs(3);

/// Deltas of the session that is watched while runners of another are killed, and how many of them come
/// between two kills. Fewer than 100 in the second would make the figure that of the kills alone.
const WATCHED: usize = 10_000;
const BETWEEN_KILLS: usize = 250;

/// A daemon whose runner writes an event for each byte that it is sent over a socket.
struct RunnerBench {
    bench: BenchDaemon,
    agents: UnixListener,
    _directory: TempDir,
}

impl RunnerBench {
    async fn new(program: &Path) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("agents");
        let command = json!([std::env::current_exe().unwrap(), "bare-agent", path]);
        let runner = format!(
            "[runners.bench]\ntype = \"command\"\noutput = \"events\"\ntrustOwn = true\ncommand = {command}\n"
        );
        Self {
            bench: BenchDaemon::with(program, &runner).await,
            agents: UnixListener::bind(&path).unwrap(),
            _directory: directory,
        }
    }

    /// Starts a turn of a session's runner, and returns the connection to it.
    async fn begin_turn(&mut self, session: &str) -> UnixStream {
        let params = json!({"sessionId": session, "content": "go on", "runner": "bench"});
        self.bench.client.call("sendMessage", &params).await;
        self.agents.accept().await.unwrap().0
    }
}

pub(crate) async fn measure(program: &Path) -> Vec<Figure> {
    vec![
        delta(program).await,
        memory(program).await,
        beside_kills(program).await,
    ]
}

/// The time from a byte for the runner to the subscriber's event, one at a time: what the daemon adds, the
/// wake-up of the runner included.
async fn delta(program: &Path) -> Figure {
    let mut runners = RunnerBench::new(program).await;
    let session = runners.bench.new_session().await;
    let mut watch = runners.bench.watch(&session).await;
    let mut agent = runners.begin_turn(&session).await;
    let mut samples = Samples::default();
    for _ in 0..DELTAS {
        let started = Instant::now();
        agent.write_all(b"x").await.unwrap();
        watch.until("\"text_delta\"").await;
        samples.push(started.elapsed());
    }
    Figure {
        name: "runner's text to subscriber, p50",
        value: samples.p50(),
        unit: "ms",
        goal: Goal::AtMost {
            must: 0.3,
            aim: 0.2,
        },
        with: json!({"p99Ms": rounded(samples.p99()), "deltas": DELTAS}),
    }
}

/// What the daemon holds for a runner that runs.
async fn memory(program: &Path) -> Figure {
    let mut runners = RunnerBench::new(program).await;
    let mut sessions = Vec::new();
    for _ in 0..PROCESSES {
        sessions.push(runners.bench.new_session().await);
    }
    sleep(QUIET).await;
    let before = runners.bench.daemon.resident_kib();
    let mut agents = Vec::new();
    for session in &sessions {
        let mut watch = runners.bench.watch(session).await;
        let mut agent = runners.begin_turn(session).await;
        agent.write_all(b"x").await.unwrap();
        watch.until("\"text_delta\"").await;
        agents.push((agent, watch));
    }
    sleep(QUIET).await;
    let after = runners.bench.daemon.resident_kib();
    let kib = after.saturating_sub(before) as f64 / PROCESSES as f64;
    Figure {
        name: "memory per running runner",
        value: kib,
        unit: "KiB",
        goal: Goal::AtMost {
            must: 2.0 * 1024.0,
            aim: 1024.0,
        },
        with: json!({"beforeKib": before, "afterKib": after, "runners": PROCESSES}),
    }
}

/// The delay of another session's text while runners are killed, compared with the delay without that.
async fn beside_kills(program: &Path) -> Figure {
    let mut runners = RunnerBench::new(program).await;
    let killed = runners.bench.new_session().await;
    let watched = runners.bench.new_session().await;
    let gates: Vec<ResponseGate> = (0..WATCHED).map(|_| ResponseGate::new()).collect();
    let answer = gates.iter().fold(ScriptedResponse::chat(), |answer, gate| {
        answer.wait(gate).text(" word")
    });
    let mut watch = runners.bench.watch(&watched).await;
    let begun = (answer.finish("stop").into(), &gates[0]);
    runners.bench.begin_turn(&watched, begun.0, begun.1).await;
    let mut ends = runners.bench.watch(&killed).await;
    let (mut alone, mut beside) = (Samples::default(), Samples::default());
    let mut kills = 0;
    // In turns, so that both see the same machine.
    for (number, gate) in gates.iter().enumerate() {
        let part = number / BETWEEN_KILLS;
        if number % BETWEEN_KILLS == 0 && part % 2 == 1 {
            let agent = runners.begin_turn(&killed).await;
            let pid = agent.peer_cred().unwrap().pid().and_then(Pid::from_raw);
            kill_process(pid.unwrap(), Signal::KILL).unwrap();
            kills += 1;
        }
        gate.reached().await;
        let started = Instant::now();
        gate.open();
        watch.until("\"text_delta\"").await;
        let samples = if part % 2 == 1 {
            &mut beside
        } else {
            &mut alone
        };
        samples.push(started.elapsed());
        if number % BETWEEN_KILLS == BETWEEN_KILLS - 1 && part % 2 == 1 {
            ends.until("\"turn_outcome\"").await;
        }
    }
    Figure {
        name: "another session's text while runners are killed / while none is, p99",
        value: beside.p99() / alone.p99(),
        unit: "times",
        goal: Goal::AtMost {
            must: 1.2,
            aim: 1.1,
        },
        with: json!({
            "besideMs": rounded(beside.p99()),
            "aloneMs": rounded(alone.p99()),
            "besideMaxMs": rounded(beside.max()),
            "p50Ratio": rounded(beside.p50() / alone.p50()),
            "kills": kills,
        }),
    }
}
