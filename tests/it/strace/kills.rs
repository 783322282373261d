//! Kills the daemon at a chosen system call.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use scorel_client::ClientError;
use scorel_testkit::{SeededDice, Strace, Trace, TracedCall, runs};
use tokio::time::timeout;

use super::script::scripted;
use super::{AT_ONCE, spread, strace_works};

/// The time limit for one run.
const PATIENCE: Duration = Duration::from_secs(600);

/// A kill or fault point: a thread's `count`-th call with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct CallPoint {
    pub(super) call: &'static str,
    /// Restricts the count to calls on one file, given relative to the session's directory.
    pub(super) file: Option<&'static str>,
    pub(super) count: usize,
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

/// Files that are counted separately, since each kind of change touches its own.
const FILES: [&str; 5] = [
    "events.jsonl",
    "inflight",
    "checkpoint",
    "../../active",
    "../../receipts.jsonl",
];

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_a_system_call_the_daemon_goes_on_where_it_was() {
    if !strace_works() {
        return;
    }
    let points = points_of_a_start().await;
    die_at_some(points, "strace_kills").await;
}

/// `strace` counts calls per thread, so the calls on one file are counted separately.
#[tokio::test(flavor = "multi_thread")]
async fn killed_at_a_call_that_changes_a_session_it_goes_on_where_it_was() {
    if !strace_works() {
        return;
    }
    let points = points_of_files().await;
    die_at_some(points, "strace_log_kills").await;
}

/// Kills at as many points as requested, spread over their kinds and over the run.
async fn die_at_some(points: Vec<CallPoint>, test: &str) {
    let mut dice = SeededDice::for_test(test);
    let all = points.len();
    let points = spread(
        points,
        runs("SCOREL_SYSCALL_KILLS", 60),
        &mut dice,
        |point| (point.file, point.call),
    );
    let count = points.len();
    let deaths = points.into_iter().map(|point| async move {
        let died_in = timeout(PATIENCE, die_at(point)).await;
        died_in.unwrap_or_else(|_| panic!("{point:?} takes too long"))
    });
    let mut deaths = stream::iter(deaths).buffer_unordered(AT_ONCE);
    let mut fired: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(died_in) = deaths.next().await {
        let died_in = died_in.unwrap_or_else(|| "not reached".to_owned());
        *fired.entry(died_in).or_default() += 1;
    }
    println!("{test}: {count} of {all} calls; died in {fired:?}");
    let not_reached = fired.get("not reached").copied().unwrap_or_default();
    // Which thread makes a call varies between runs.
    assert!(
        not_reached < count.div_ceil(2) + 2,
        "most of the points exist"
    );
}

/// Every call of an undisturbed run, counted per thread as `strace` does.
async fn points_of_a_start() -> Vec<CallPoint> {
    let (mut daemon, _model, mut script) = scripted().await;
    let strace = Strace::new(daemon.root(), &[]);
    daemon.run_under(strace.command());
    daemon.spawn().await;
    script.run(&daemon.socket()).await.unwrap();
    daemon.stop().await;
    script.check(&daemon);
    points(&strace.finish(), |_| Some(None))
}

/// Every call on one of the files, in a run whose session already exists.
pub(super) async fn points_of_files() -> Vec<CallPoint> {
    let (mut daemon, _model, mut script) = scripted().await;
    daemon.spawn().await;
    script.begin(&daemon.socket()).await.unwrap();
    daemon.kill().await;
    let strace = Strace::new(daemon.root(), &[]);
    daemon.run_under(strace.command());
    daemon.spawn().await;
    script.run(&daemon.socket()).await.unwrap();
    daemon.stop().await;
    script.check(&daemon);
    let paths = FILES.map(|file| (file, script.path(&daemon, file).display().to_string()));
    points(&strace.finish(), |call| {
        let is_named = |path: &str| {
            call.target() == Some(path) || call.arguments.contains(&format!("\"{path}\""))
        };
        let named = paths.iter().find(|(_, path)| is_named(path));
        named.map(|(file, _)| Some(*file))
    })
}

/// The points of a run, in the order in which they were first reached. `file` returns which of the
/// files a call counts for, if any.
fn points(
    trace: &Trace,
    file: impl Fn(&TracedCall) -> Option<Option<&'static str>>,
) -> Vec<CallPoint> {
    let mut found = Vec::new();
    let mut known = HashSet::new();
    let mut counts: HashMap<(u32, &str, Option<&str>), usize> = HashMap::new();
    for traced in trace.calls() {
        let call = CALLS.into_iter().find(|call| *call == traced.name);
        let (Some(call), Some(file)) = (call, file(traced)) else {
            continue;
        };
        let count = counts.entry((traced.thread, call, file)).or_default();
        *count += 1;
        let count = *count;
        let point = CallPoint { call, file, count };
        if known.insert(point) {
            found.push(point);
        }
    }
    found
}

/// Runs the script on a daemon that is killed on the way, then on one that is not. Returns the call
/// in which the first one died, if it did.
async fn die_at(point: CallPoint) -> Option<String> {
    let CallPoint { call, file, count } = point;
    let (mut daemon, _model, mut script) = scripted().await;
    let inject = format!("inject={call}:signal=KILL:when={count}");
    let mut options = vec!["-e".to_owned(), inject];
    if let Some(file) = file {
        daemon.spawn().await;
        script.begin(&daemon.socket()).await.unwrap();
        daemon.kill().await;
        let path = script.path(&daemon, file);
        options.extend(["-P".to_owned(), path.display().to_string()]);
    }
    let strace = Strace::new(daemon.root(), &options);
    daemon.run_under(strace.command());
    let status = match daemon.try_spawn().await {
        Err(status) => Some(status),
        Ok(()) => match script.run(&daemon.socket()).await {
            Ok(()) => {
                daemon.kill().await;
                None
            }
            Err(error @ (ClientError::Rpc(_) | ClientError::Protocol(_))) => {
                panic!("{point:?}: {error:?}")
            }
            Err(_) => Some(daemon.wait().await),
        },
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

/// The kind of file of a call: the end of its path without the parts that vary between runs.
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
