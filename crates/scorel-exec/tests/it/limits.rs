//! Commands that use more than they may.

use std::fs;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use libtest_mimic::Trial;
use scorel_exec::{
    CommandOrder, CommandResources, EndCause, LimitKind, LimitScope, ReachedLimit, ResourceLimits,
    Run, RunEnd, RunGroup, Sandbox, ShellExit, Support, TaskLimit,
};

use crate::{open, order, processes, supervisors, trial};

const MIB: u64 = 1 << 20;

const LIMITS: ResourceLimits = ResourceLimits {
    memory: 200 * MIB,
    processes: 60,
    open_files: 200,
    file_size: 10 * MIB,
    scratch_space: 50 * MIB,
};

/// Runaways by the limit that they reach. All of them end by themselves at some multiple of it, so that
/// a test that fails takes no machine with it. `$T` is the directory for temporary files, `$C` a number
/// of seconds.
const RUNAWAYS: &[(&str, LimitKind, &str)] = &[
    (
        "one_process_that_takes_memory",
        LimitKind::Memory,
        "perl -e 'my @x; push @x, \"x\" x (1 << 20) for 1..2000; sleep 1000 # $C'",
    ),
    (
        "several_processes_that_take_memory",
        LimitKind::Memory,
        "for i in 1 2 3 4; do perl -e 'my @x; push @x, \"x\" x (1 << 20) for 1..80; sleep 1000 # $C' & done; wait",
    ),
    (
        "processes_that_stay",
        LimitKind::Processes,
        "for i in {1..1000}; do sleep $C & done; wait",
    ),
    (
        "a_fork_bomb",
        LimitKind::Processes,
        "bomb() { [ $1 = 0 ] && sleep $C; bomb $(($1 - 1)) | bomb $(($1 - 1)) & }; bomb 10; sleep $C",
    ),
    (
        "orphans_that_stay",
        LimitKind::Processes,
        "for i in {1..500}; do (setsid sleep $C &); done; sleep $C",
    ),
    (
        "open_files",
        LimitKind::OpenFiles,
        "perl -e 'for (0..2000) { open($f[$_], \"<\", \"/dev/null\") or die \"$!\" }'",
    ),
    (
        "a_large_file",
        LimitKind::FileSize,
        "head -c 100M /dev/zero > $T/large",
    ),
    (
        "a_large_file_and_no_signal",
        LimitKind::FileSize,
        "perl -e '$SIG{XFSZ} = \"IGNORE\"; open(F, \">\", \"$T/large\"); for (1..100) { syswrite(F, \"x\" x (1 << 20)) or die \"$!\" }'",
    ),
    (
        "many_temporary_files",
        LimitKind::ScratchSpace,
        "mkdir $T/a; for i in {1..100}; do head -c 5M /dev/zero > $T/a/$i; done; sleep $C",
    ),
];

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (name, kind, script) in RUNAWAYS {
        for place in ["open", "sandbox", "group"] {
            let name = format!("limits::{name}_{place}");
            trials.push(trial(name, move || runaway(script, *kind, place)));
        }
    }
    // Elsewhere processes are counted, and a fork loop is faster.
    let is_bounded = Support::probe().task_limit != TaskLimit::None;
    let bounded = [
        trial("limits::a_fork_loop_in_a_sandbox_ends", fork_loop),
        trial("limits::threads_in_a_sandbox_are_bounded", many_threads),
    ];
    trials.extend(bounded.map(|it| it.with_ignored_flag(!is_bounded)));
    trials.push(trial(
        "limits::commands_of_a_group_are_limited_together",
        together,
    ));
    trials.push(trial("limits::what_is_within_the_limits_runs", within));
    trials.push(trial(
        "limits::a_full_directory_can_be_emptied",
        full_before,
    ));
    trials.push(trial("limits::memory_that_is_shared_counts_once", shared));
    trials.push(trial("limits::the_kernel_picks_a_command_first", oom_score));
    trials.push(trial(
        "limits::a_message_without_a_failure_is_no_limit",
        no_failure,
    ));
    trials
}

fn limited(script: &str, directory: &Path, is_in_sandbox: bool) -> CommandOrder {
    let sandbox = Sandbox {
        writable: vec![directory.to_owned()],
        ..Sandbox::default()
    };
    CommandOrder {
        sandbox: is_in_sandbox.then_some(sandbox),
        resources: Some(CommandResources {
            limits: LIMITS,
            scratch: vec![directory.to_owned()],
            group: None,
        }),
        timeout: Some(Duration::from_secs(60)),
        ..order(&script.replace("$T", directory.to_str().unwrap()))
    }
}

fn start(script: &str, directory: &Path, is_in_sandbox: bool, group: Option<Arc<RunGroup>>) -> Run {
    let mut order = limited(script, directory, is_in_sandbox);
    order.resources = order.resources.map(|it| CommandResources { group, ..it });
    let opened = open(directory).unwrap();
    supervisors().start(order, opened.as_fd()).unwrap()
}

fn output(run: &Run) -> String {
    String::from_utf8_lossy(&run.section(0, 1 << 16).bytes).into_owned()
}

async fn runaway(script: &str, kind: LimitKind, place: &str) {
    let directory = tempfile::tempdir().unwrap();
    let canary = processes::canary();
    let group = (place == "group").then(|| supervisors().group().unwrap());
    let is_shared = matches!(kind, LimitKind::Memory | LimitKind::Processes) && group.is_some();
    let script = script.replace("$C", &canary);
    let run = start(&script, directory.path(), place != "open", group);
    let end = run.wait().await;
    let found = end.limit.map(|limit| (limit.kind, limit.value));
    assert_eq!(
        found,
        Some((kind, kind.value(&LIMITS))),
        "{end:?}\n{}",
        output(&run)
    );
    // Alone in its group, a command may be found by its own supervisor first.
    let scope = end.limit.map(|limit| limit.scope);
    assert!(is_shared || scope == Some(LimitScope::Command), "{end:?}");
    assert_eq!((end.survivors, end.problems.as_slice()), (0, &[][..]));
    assert_eq!(
        processes::left_after(&canary, Duration::from_secs(2)),
        [0; 0]
    );
}

/// Each child is a session of its own and so gets as much of the processor as the supervisor does. The
/// test ends it by itself after some seconds more.
async fn fork_loop() {
    let directory = tempfile::tempdir().unwrap();
    let canary = processes::canary();
    let script = format!(
        "python3 -c '
import os, time
end = time.monotonic() + 30
while time.monotonic() < end:
    try:
        if os.fork() == 0: os.setsid()
    except OSError: pass
# {canary}'"
    );
    let order = CommandOrder {
        timeout: Some(Duration::from_secs(8)),
        ..limited(&script, directory.path(), true)
    };
    let opened = open(directory.path()).unwrap();
    let run = supervisors().start(order, opened.as_fd()).unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let counter = thread::spawn({
        let (canary, is_over) = (canary.clone(), Arc::clone(&is_over));
        move || {
            let count =
                || (!is_over.load(Ordering::Relaxed)).then(|| processes::with(&canary).len());
            std::iter::from_fn(count).max()
        }
    });
    while run.ended().is_none() {
        let other = start("true", directory.path(), true, None).wait().await;
        assert_eq!(other.exit, Some(ShellExit::Code(0)), "{other:?}");
    }
    let end = run.wait().await;
    is_over.store(true, Ordering::Relaxed);
    let most = counter.join().unwrap().unwrap_or_default();
    let kind = end.limit.map(|limit| limit.kind);
    assert_eq!(kind, Some(LimitKind::Processes), "{end:?}");
    assert_eq!((end.survivors, end.problems.as_slice()), (0, &[][..]));
    assert!(end.duration < Duration::from_secs(16), "{end:?}");
    assert!(most <= tasks() + 2, "{most}");
    assert_eq!(processes::left_after(&canary, processes::LIMIT), [0; 0]);
}

/// The tasks that `LIMITS` allow, threads included.
fn tasks() -> usize {
    let processors = std::thread::available_parallelism().unwrap().get();
    LIMITS.processes as usize + 128 * processors
}

async fn many_threads() {
    let directory = tempfile::tempdir().unwrap();
    let script = "python3 -c '
import threading
over, count = threading.Event(), 0
try:
    while count < 5000: threading.Thread(target=over.wait).start(); count += 1
except RuntimeError: print(count)
over.set()'";
    let run = start(script, directory.path(), true, None);
    let end = run.wait().await;
    assert_eq!((end.exit, end.limit), (Some(ShellExit::Code(0)), None));
    let count: usize = output(&run).trim().parse().unwrap();
    assert!((200..tasks()).contains(&count), "{count}");
}

async fn together() {
    let directory = tempfile::tempdir().unwrap();
    let group = supervisors().group().unwrap();
    let take = |mib: u64, canary: &str| {
        let script = format!(
            "perl -e '$| = 1; my @x; push @x, \"x\" x (1 << 20) for 1..{mib}; print \"ready\"; sleep 1000 # {canary}'"
        );
        start(&script, directory.path(), true, Some(Arc::clone(&group)))
    };
    let (small_canary, large_canary) = (processes::canary(), processes::canary());
    let small = take(70, &small_canary);
    small.wait_for_output(0).await;
    let large = take(150, &large_canary);
    let end = large.wait().await;
    let expected = ReachedLimit {
        kind: LimitKind::Memory,
        scope: LimitScope::Group,
        value: LIMITS.memory,
    };
    assert_eq!(end.limit, Some(expected), "{end:?}");
    assert_eq!(small.ended(), None);
    assert_eq!(processes::with(&small_canary).len(), 1);
    small.stop();
    let end = small.wait().await;
    assert_eq!((end.cause, end.limit), (EndCause::Stopped, None));
}

async fn within() {
    let directory = tempfile::tempdir().unwrap();
    let script = "perl -e 'my @x; push @x, \"x\" x (1 << 20) for 1..50'; for i in {1..20}; do sleep 0.2 & done; \
                  head -c 5M /dev/zero > $T/a; head -c 5M /dev/zero > $T/b; ulimit -Sn; ulimit -Hn; ulimit -f; wait";
    let run = start(script, directory.path(), true, None);
    let end = run.wait().await;
    assert_eq!(
        (end.exit, end.limit),
        (Some(ShellExit::Code(0)), None),
        "{end:?}"
    );
    assert_eq!(output(&run), "200\n200\n10240\n");
}

async fn full_before() {
    let directory = tempfile::tempdir().unwrap();
    for n in 0..12 {
        let path = directory.path().join(n.to_string());
        fs::write(path, vec![1; 5 << 20]).unwrap();
    }
    // Longer than a few measurements.
    let script = "sleep 0.5; rm $T/*; echo emptied";
    let run = start(script, directory.path(), true, None);
    let end = run.wait().await;
    assert_eq!(
        (output(&run).as_str(), end.limit),
        ("emptied\n", None),
        "{end:?}"
    );
}

/// 4 processes with 120 MiB in common: perl keeps a copy.
async fn shared() {
    let directory = tempfile::tempdir().unwrap();
    let script = "perl -e 'my $n = 60; my $x = \"x\" x ($n << 20); for (1..3) { fork || last } select(undef, undef, undef, 1); 1 while wait != -1'";
    let run = start(script, directory.path(), true, None);
    let end = run.wait().await;
    assert_eq!(
        (end.exit, end.limit),
        (Some(ShellExit::Code(0)), None),
        "{end:?}"
    );
}

async fn oom_score() {
    let directory = tempfile::tempdir().unwrap();
    for is_in_sandbox in [false, true] {
        let script = "cat /proc/self/oom_score_adj; (echo 0 > /proc/self/oom_score_adj) 2> /dev/null; cat /proc/self/oom_score_adj";
        let run = start(script, directory.path(), is_in_sandbox, None);
        run.wait().await;
        assert_eq!(output(&run), "500\n500\n");
    }
}

async fn no_failure() {
    let directory = tempfile::tempdir().unwrap();
    let run = start("echo Too many open files", directory.path(), true, None);
    let RunEnd { limit, .. } = run.wait().await;
    assert_eq!(limit, None);
}
