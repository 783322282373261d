//! Killed at a system call.

use std::collections::{BTreeMap, HashMap};
use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use scorel_testkit::{Dice, Strace, TracedCall, runs};
use tokio::time::timeout;

use super::script::scripted;
use super::strace_works;

/// How long one run may take at most.
const PATIENCE: Duration = Duration::from_secs(60);

/// A place to die: at a thread's `count`-th call of that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct KillPoint {
    call: &'static str,
    count: usize,
}

const CALLS: [&str; 10] = [
    "write",
    "writev",
    "fdatasync",
    "fsync",
    "ftruncate",
    "openat",
    "rename",
    "unlink",
    "mkdir",
    "sendto",
];

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_a_system_call_the_daemon_goes_on_where_it_was() {
    if !strace_works() {
        return;
    }
    let mut dice = Dice::for_test("strace_kills");
    let mut points = kill_points().await;
    let all = points.len();
    let count = runs("SCOREL_SYSCALL_KILLS", 8).min(all);
    let mut fired: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..count {
        let point = take_one(&mut points, &mut dice);
        let died_in = timeout(PATIENCE, die_at(point, None)).await;
        let died_in = died_in.unwrap_or_else(|_| panic!("{point:?} takes too long"));
        *fired
            .entry(died_in.unwrap_or_else(|| "not reached".to_owned()))
            .or_default() += 1;
    }
    println!("strace_kills: {count} of {all} calls; died in {fired:?}");
}

/// Files, named from the session's directory, and what is done with them.
const FILE_CALLS: [(&str, &str); 9] = [
    ("events.jsonl", "write"),
    ("events.jsonl", "fdatasync"),
    ("events.jsonl", "openat"),
    ("inflight", "write"),
    ("inflight", "ftruncate"),
    ("inflight", "openat"),
    ("../../active", "rename"),
    ("../../receipts.jsonl", "write"),
    ("../../receipts.jsonl", "fdatasync"),
];

/// Threads are counted apart, so the calls that concern one file are counted by themselves.
#[tokio::test(flavor = "multi_thread")]
async fn killed_at_a_call_that_changes_a_session_it_goes_on_where_it_was() {
    if !strace_works() {
        return;
    }
    let mut dice = Dice::for_test("strace_log_kills");
    let mut fired: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..runs("SCOREL_SYSCALL_KILLS", 8).min(200) {
        let (file, call) = FILE_CALLS[dice.index(0..FILE_CALLS.len())];
        let count = dice.index(1..4);
        let point = KillPoint { call, count };
        let died_in = timeout(PATIENCE, die_at(point, Some(file))).await;
        let died_in = died_in.unwrap_or_else(|_| panic!("{point:?} of {file} takes too long"));
        *fired
            .entry(died_in.unwrap_or_else(|| "not reached".to_owned()))
            .or_default() += 1;
    }
    println!("strace_log_kills: died in {fired:?}");
}

/// Each kind of call is as likely as another, though most calls are writes.
fn take_one(points: &mut Vec<KillPoint>, dice: &mut Dice) -> KillPoint {
    loop {
        let kind = CALLS[dice.index(0..CALLS.len())];
        let of_kind: Vec<usize> = (0..points.len())
            .filter(|at| points[*at].call == kind)
            .collect();
        if !of_kind.is_empty() {
            return points.swap_remove(of_kind[dice.index(0..of_kind.len())]);
        }
    }
}

/// Every call of an undisturbed run. Threads are counted apart, as `strace` does.
async fn kill_points() -> Vec<KillPoint> {
    let (mut daemon, _model, mut script) = scripted().await;
    let strace = Strace::new(daemon.root(), &[]);
    daemon.run_under(strace.command());
    daemon.spawn().await;
    script.run(&daemon.socket()).await.unwrap();
    daemon.stop().await;
    script.check(&daemon);
    let mut most: HashMap<&str, usize> = HashMap::new();
    let mut counts: HashMap<(u32, &str), usize> = HashMap::new();
    let trace = strace.finish();
    for call in trace.calls() {
        let count = counts.entry((call.thread, &call.name)).or_default();
        *count += 1;
        let most = most.entry(&call.name).or_default();
        *most = (*most).max(*count);
    }
    let points = CALLS.into_iter().flat_map(|call| {
        let most = most.get(call).copied().unwrap_or_default();
        (1..=most).map(move |count| KillPoint { call, count })
    });
    points.collect()
}

/// Runs the script on a daemon that dies on the way, then on one that does not. With a file, named
/// from the session's directory, only calls that concern it count. Returns the call in which the
/// daemon died, if it did.
async fn die_at(point: KillPoint, file: Option<&str>) -> Option<String> {
    let KillPoint { call, count } = point;
    let (mut daemon, _model, mut script) = scripted().await;
    let inject = format!("inject={call}:signal=KILL:when={count}");
    let mut options = vec!["-e".to_owned(), inject];
    if let Some(file) = file {
        daemon.spawn().await;
        script.begin(&daemon.socket()).await.unwrap();
        daemon.kill().await;
        let dir = script.session_dir(&daemon);
        let path = file.split("../").fold(dir, |dir, part| match part {
            "" => dir.parent().unwrap().to_owned(),
            name => dir.join(name),
        });
        options.extend(["-P".to_owned(), path.display().to_string()]);
    }
    let strace = Strace::new(daemon.root(), &options);
    daemon.run_under(strace.command());
    let status = match daemon.try_spawn().await {
        Err(status) => Some(status),
        Ok(()) => {
            if script.run(&daemon.socket()).await.is_ok() {
                daemon.kill().await;
                None
            } else {
                Some(daemon.wait().await)
            }
        }
    };
    let killed = status.is_none_or(|status| status.signal() == Some(9));
    assert!(killed, "{point:?}: {status:?}: {}", daemon.errors());
    let trace = strace.finish();
    let died_in = trace
        .calls()
        .iter()
        .rev()
        .find(|last| last.name == call && last.result.is_none());
    let died_in = died_in.map(|last| format!("{call} {}", file_kind(last)));
    daemon.run_under(Vec::new());
    daemon.spawn().await;
    script
        .run(&daemon.socket())
        .await
        .unwrap_or_else(|error| panic!("{point:?}: {error}"));
    daemon.stop().await;
    script.check(&daemon);
    died_in
}

/// What kind of file a call is about: the end of its path, without what differs between runs.
fn file_kind(call: &TracedCall) -> String {
    let bytes = call.bytes();
    let path = match call
        .arguments
        .starts_with(|first: char| first.is_ascii_digit())
    {
        true => call.target().unwrap_or_default().to_owned(),
        false => String::from_utf8_lossy(&bytes).into_owned(),
    };
    let name = path.rsplit('/').next().unwrap_or_default();
    let kind = name.chars().filter(|letter| !letter.is_ascii_digit());
    kind.take_while(|letter| *letter != '_' && *letter != ':')
        .collect()
}
