//! System calls that fail on the log of one session.

use std::fs;
use std::pin::pin;
use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use scorel_client::{ClientError, Connection};
use scorel_proto::{ErrorCode, SessionId};
use scorel_testkit::{
    CheckedLog, DaemonUnderTest, ModelServer, SeededDice, Sightings, Strace, Trace, TracedCall,
    runs,
};
use serde_json::json;
use tokio::time::timeout;

use super::script::{call, scripted, until_idle};
use super::{AT_ONCE, spread, strace_works};
use crate::under_test::{connect, new_session};

const PATIENCE: Duration = Duration::from_secs(600);

/// The number of messages sent to the session whose log fails.
const SENDS: usize = 6;

/// The maximum number of writes and syncs of that log per thread.
const MOST_SYNCS: usize = 16;

/// Two used sessions of a stopped daemon.
struct Pair {
    daemon: DaemonUnderTest,
    _model: ModelServer,
    faulty: SessionId,
    healthy: SessionId,
}

impl Pair {
    async fn new() -> Self {
        let (mut daemon, model, _) = scripted().await;
        daemon.spawn().await;
        let (client, faulty) = new_session(&daemon).await;
        let (_, healthy) = new_session(&daemon).await;
        for session in [faulty, healthy] {
            turn(&client, session).await.unwrap();
        }
        daemon.stop().await;
        Self {
            daemon,
            _model: model,
            faulty,
            healthy,
        }
    }

    fn log(&self, session: SessionId) -> CheckedLog {
        CheckedLog::read(&self.daemon.log_path(&session.to_string())).unwrap()
    }

    /// Starts the daemon with faults in the calls on the log of one session.
    async fn spawn_with(&mut self, inject: &str) -> Strace {
        self.spawn_with_all(inject, &["events.jsonl"]).await
    }

    async fn spawn_with_all(&mut self, inject: &str, files: &[&str]) -> Strace {
        let dir = self.daemon.session_dir(&self.faulty.to_string());
        let mut options = vec!["-e".to_owned(), inject.to_owned()];
        for file in files {
            options.extend(["-P".to_owned(), dir.join(file).display().to_string()]);
        }
        let strace = Strace::new(self.daemon.root(), &options);
        self.daemon.run_under(strace.command());
        self.daemon.spawn().await;
        strace
    }

    /// Kills the daemon and checks that the next one, without faults, has everything that was seen
    /// or acknowledged, and that the session can go on.
    async fn restart_and_check(&mut self, seen: &Sightings, accepted: &[u64]) {
        self.daemon.kill().await;
        self.daemon.run_under(Vec::new());
        self.daemon.spawn().await;
        let client = connect(&self.daemon.socket()).await;
        for session in [self.faulty, self.healthy] {
            turn(&client, session).await.unwrap();
        }
        self.daemon.stop().await;
        let log = self.log(self.faulty);
        seen.check(&log).unwrap_or_else(|fault| panic!("{fault}"));
        for seq in accepted {
            assert!(log.record(*seq).is_some(), "{seq} was acknowledged");
        }
        self.log(self.healthy);
    }
}

/// Sends a message and waits for the end of its turn.
async fn turn(client: &Connection, session: SessionId) -> Result<(), ClientError> {
    let params = json!({"sessionId": session, "content": "again"});
    call(client, "sendMessage", &params).await?;
    until_idle(client, &json!(session), &mut Sightings::default()).await
}

/// Sends to the session with the failing log and records replies and events.
async fn try_sends(pair: &Pair, seen: &mut Sightings) -> (Vec<u64>, Vec<ErrorCode>) {
    let client = connect(&pair.daemon.socket()).await;
    let watcher = connect(&pair.daemon.socket()).await;
    let params = serde_json::from_value(json!({"sessionId": pair.faulty})).unwrap();
    let mut events = watcher.subscribe_events(&params).await.unwrap();
    let (mut accepted, mut refused) = (Vec::new(), Vec::new());
    for _ in 0..SENDS {
        let params = json!({"sessionId": pair.faulty, "content": "more"});
        match call(&client, "sendMessage", &params).await {
            Ok(sent) => accepted.push(sent["seq"].as_u64().unwrap()),
            Err(ClientError::Rpc(error)) => refused.push(error.code),
            Err(error) => panic!("{error}"),
        }
        turn(&client, pair.healthy)
            .await
            .expect("other sessions are not touched");
        // Drains the events that have arrived.
        while events.is_ready() {
            let Some(event) = events.next().await else {
                break;
            };
            seen.note(event.get())
                .unwrap_or_else(|fault| panic!("{fault}"));
        }
        let read = json!({"sessionId": pair.faulty, "limit": 5});
        let events = call(&client, "getEvents", &read)
            .await
            .expect("reading goes on");
        assert!(!events["events"].as_array().unwrap().is_empty());
    }
    (accepted, refused)
}

/// Whether a file was synced again after its sync had failed. Its descriptor is reused only after
/// the next `openat`.
fn syncs_again_after_failure(trace: &Trace) -> bool {
    let descriptor = |call: &TracedCall| call.arguments.split('<').next().map(str::to_owned);
    let syncs: Vec<_> = trace
        .calls()
        .iter()
        .filter(|call| call.name == "fdatasync")
        .collect();
    syncs
        .windows(2)
        .any(|pair| !pair[0].succeeded() && descriptor(pair[0]) == descriptor(pair[1]))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_sync_loses_no_acknowledged_record() {
    if !strace_works() {
        return;
    }
    let mut dice = SeededDice::for_test("strace_eio");
    let wanted = runs("SCOREL_FAULTS", 12);
    let syncs = spread((1..=MOST_SYNCS).collect(), wanted, &mut dice, |_| ());
    let cases = syncs.into_iter().map(|when| async move {
        let case = timeout(PATIENCE, fail_a_sync(when)).await;
        case.unwrap_or_else(|_| panic!("EIO at {when} takes too long"));
    });
    side_by_side(cases).await;
}

async fn fail_a_sync(when: usize) {
    let mut pair = Pair::new().await;
    let mut seen = Sightings::default();
    let inject = format!("inject=fdatasync:error=EIO:when={when}");
    let strace = pair.spawn_with(&inject).await;
    let (accepted, refused) = try_sends(&pair, &mut seen).await;
    let typed = [ErrorCode::SessionFailed, ErrorCode::StorageStalled];
    assert!(
        refused.iter().all(|code| typed.contains(code)),
        "{refused:?}"
    );
    println!(
        "EIO at sync {when}: {} accepted, refused {refused:?}",
        accepted.len()
    );
    pair.restart_and_check(&seen, &accepted).await;
    let trace = strace.finish();
    assert!(!syncs_again_after_failure(&trace), "{trace:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_syncs_nothing_refuses_one_session_and_no_other() {
    if !strace_works() {
        return;
    }
    let case = async {
        let mut pair = Pair::new().await;
        let before = pair.log(pair.faulty).last_seq();
        let mut seen = Sightings::default();
        let files = ["events.jsonl", "events.jsonl.copy"];
        let inject = "inject=fdatasync:error=EIO";
        let strace = pair.spawn_with_all(inject, &files).await;
        let (accepted, refused) = try_sends(&pair, &mut seen).await;
        let none: &[u64] = &[];
        assert_eq!(accepted, none, "nothing is acknowledged that is not synced");
        println!("EIO at every sync: refused {refused:?}");
        let typed = [ErrorCode::SessionFailed, ErrorCode::StorageStalled];
        assert!(
            refused.iter().all(|code| typed.contains(code)),
            "{refused:?}"
        );
        let newest = seen.last_persistent_seq();
        assert!(newest <= before, "nothing is shown that is not synced");
        pair.restart_and_check(&seen, &accepted).await;
        drop(strace.finish());
    };
    timeout(PATIENCE, case).await.expect("it takes too long");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_stalls_one_session_and_passes_without_a_restart() {
    if !strace_works() {
        return;
    }
    let mut dice = SeededDice::for_test("strace_enospc");
    let wanted = runs("SCOREL_FAULTS", 12);
    let faults = (1..=MOST_SYNCS).flat_map(|first| (0..4).map(move |more| (first, first + more)));
    let faults = spread(faults.collect(), wanted, &mut dice, |_| ());
    let cases = faults.into_iter().map(|(first, last)| async move {
        let case = timeout(PATIENCE, fill_the_disk(first, last)).await;
        case.unwrap_or_else(|_| panic!("ENOSPC at {first} takes too long"));
    });
    side_by_side(cases).await;
}

async fn fill_the_disk(first: usize, last: usize) {
    let mut pair = Pair::new().await;
    let mut seen = Sightings::default();
    let inject = format!("inject=write:error=ENOSPC:when={first}..{last}");
    let strace = pair.spawn_with(&inject).await;
    let (accepted, refused) = try_sends(&pair, &mut seen).await;
    assert!(
        refused
            .iter()
            .all(|code| *code == ErrorCode::StorageStalled),
        "{refused:?}"
    );
    println!(
        "ENOSPC at writes {first}..{last}: {} accepted, refused {refused:?}",
        accepted.len()
    );
    let client = connect(&pair.daemon.socket()).await;
    wait_for_space(&client, pair.faulty).await;
    until_idle(&client, &json!(pair.faulty), &mut seen)
        .await
        .unwrap();
    pair.restart_and_check(&seen, &accepted).await;
    drop(strace.finish());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sync_that_takes_long_holds_up_its_own_session_and_no_other() {
    if !strace_works() {
        return;
    }
    for seconds in SYNC_SECONDS {
        if outlasts_the_other_session(seconds).await {
            return;
        }
        println!("a sync of {seconds} s was over before the work of the other session");
    }
    panic!("the slow session was never the last one");
}

/// How long a sync takes, in seconds: longer where the machine is too busy for the work meanwhile.
const SYNC_SECONDS: [u64; 3] = [5, 30, 120];

/// Whether the other session's work was done while the sync took its time.
async fn outlasts_the_other_session(seconds: u64) -> bool {
    let mut pair = Pair::new().await;
    // The first such call of each thread.
    let inject = format!("inject=fdatasync:delay_enter={seconds}s:when=1");
    let strace = pair.spawn_with(&inject).await;
    let slow = connect(&pair.daemon.socket()).await;
    let params = json!({"sessionId": pair.faulty, "content": "slowly"});
    let mut slow = pin!(call(&slow, "sendMessage", &params));
    let client = connect(&pair.daemon.socket()).await;
    let others = async {
        // Recovery has begun when the record is in the log but not yet published.
        let path = pair.daemon.log_path(&pair.faulty.to_string());
        while !fs::read_to_string(&path).unwrap().contains("slowly") {
            tokio::task::yield_now().await;
        }
        turn(&client, pair.healthy).await.unwrap();
        for (method, params) in [
            ("listSessions", json!({})),
            ("listProjects", json!({})),
            ("subscribeHost", json!({})),
            ("getSession", json!({"sessionId": pair.healthy})),
            ("cancel", json!({"sessionId": pair.faulty})),
        ] {
            call(&client, method, &params).await.unwrap();
        }
        read_while_syncing(&pair, &client).await
    };
    tokio::select! {
        sent = &mut slow => {
            sent.unwrap();
            return false;
        }
        mut taken = others => {
            taken.sort_unstable();
            let (p50, p99) = (taken[taken.len() / 2], taken[taken.len() * 99 / 100]);
            println!("{} reads during a sync of {seconds} s: p50 {p50:?}, p99 {p99:?}", taken.len());
        }
    }
    let sent = slow.await.unwrap();
    let accepted = [sent["seq"].as_u64().unwrap()];
    pair.restart_and_check(&Sightings::default(), &accepted)
        .await;
    drop(strace.finish());
    true
}

/// How often each read is repeated while the sync takes its time.
const READS: usize = 40;

/// Reads the session whose record is being synced, in every way. How long each call took.
async fn read_while_syncing(pair: &Pair, client: &Connection) -> Vec<Duration> {
    let id = json!({"sessionId": pair.faulty});
    let reads = [
        ("getStatus", json!({})),
        ("getSession", id.clone()),
        ("getEvents", json!({"sessionId": pair.faulty, "limit": 5})),
        ("getTree", id.clone()),
        ("resync", id.clone()),
    ];
    let mut taken = Vec::new();
    for _ in 0..READS {
        for (method, params) in &reads {
            let started = Instant::now();
            call(client, method, params).await.unwrap();
            taken.push(started.elapsed());
        }
    }
    let params = serde_json::from_value(id).unwrap();
    let mut events = client.subscribe_events(&params).await.unwrap();
    let mut seen = String::new();
    while !seen.contains("sync_end") {
        seen = events.next().await.expect("a session").get().to_owned();
    }
    taken
}

/// Runs several daemons in parallel.
async fn side_by_side(cases: impl Iterator<Item = impl Future<Output = ()>>) {
    let mut cases = stream::iter(cases).buffer_unordered(AT_ONCE);
    while cases.next().await.is_some() {}
}

/// Retries until accepted: the fault applies to a limited number of calls.
async fn wait_for_space(client: &Connection, session: SessionId) {
    let params = json!({"sessionId": session, "content": "is there room?"});
    loop {
        match call(client, "sendMessage", &params).await {
            Ok(_) => return,
            Err(ClientError::Rpc(error)) => assert_eq!(error.code, ErrorCode::StorageStalled),
            Err(error) => panic!("{error}"),
        }
    }
}
