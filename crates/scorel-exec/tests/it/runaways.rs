//! Commands whose processes try to stay.

use std::os::fd::AsFd as _;
use std::time::Duration;

use libtest_mimic::Trial;
use scorel_exec::{Order, Run, Sandbox};

use crate::{daemon, open, order, processes, supervisors, trial};

/// How soon nothing may be left.
const LIMIT: Duration = Duration::from_secs(2);

/// Scripts that say `ready` when their processes are there. `$C` is the seconds that they sleep.
const SHAPES: &[(&str, &str)] = &[
    ("double_fork", "( ( sleep $C & ) & ); echo ready; sleep $C"),
    ("setsid", "setsid sleep $C & echo ready; sleep $C"),
    (
        "nohup",
        "nohup sleep $C >/dev/null 2>&1 & echo ready; sleep $C",
    ),
    (
        "fork_storm",
        "for i in {1..50}; do (while :; do sleep $C; done) & done; echo ready; wait",
    ),
    (
        "stopped_child",
        "sleep $C & kill -STOP $!; echo ready; sleep $C",
    ),
    ("pty_child", "script -qec 'echo ready; sleep $C' /dev/null"),
    (
        "closed_stdio",
        "setsid bash -c 'exec <&- >&- 2>&-; trap \"\" HUP; sleep $C; true' & echo ready; sleep $C",
    ),
    (
        "supervisor_killed",
        "P=$PPID; setsid sleep $C & echo ready; setsid bash -c \"kill -9 $P; sleep $C; true\"",
    ),
    (
        "ignores_term",
        "trap '' TERM HUP; (while :; do sleep $C; done) & echo ready; while :; do sleep $C; done",
    ),
    ("disown", "sleep $C & disown; echo ready; sleep $C"),
    ("pipe_held", "(sleep $C; echo late) & echo ready"),
    (
        "renamed",
        "(exec -a innocent sleep $C) & echo ready; exec -a bash sleep $C",
    ),
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Ending {
    Stop,
    Timeout,
    NobodyInterested,
    DaemonKilled,
}

pub(crate) fn trials() -> Vec<Trial> {
    use Ending::*;
    let mut trials = Vec::new();
    for (name, script) in SHAPES {
        for ending in [Stop, Timeout, NobodyInterested, DaemonKilled] {
            for in_sandbox in [false, true] {
                // Where a command can kill its supervisor, and somebody kills the daemon at that
                // very moment, nobody is left.
                if (*name, ending, in_sandbox) == ("supervisor_killed", DaemonKilled, false) {
                    continue;
                }
                let place = if in_sandbox { "sandbox" } else { "open" };
                let name =
                    format!("runaways::{name}_{ending:?}_{place}_leaves_nothing").to_lowercase();
                trials.push(trial(name, move || check(script, ending, in_sandbox)));
            }
        }
    }
    trials
}

async fn check(script: &str, ending: Ending, in_sandbox: bool) {
    let canary = processes::canary();
    let script = script.replace("$C", &canary);
    let directory = tempfile::tempdir().unwrap();
    if ending == Ending::DaemonKilled {
        let writable = in_sandbox.then(|| directory.path().to_str().unwrap());
        let mut daemon = daemon::start(&script, writable);
        assert!(!processes::with(&canary).is_empty());
        daemon.kill().unwrap();
        daemon.wait().unwrap();
    } else {
        let sandbox = Sandbox {
            writable: vec![directory.path().to_owned()],
            ..Sandbox::default()
        };
        let run = start(Order {
            sandbox: in_sandbox.then_some(sandbox),
            timeout: (ending == Ending::Timeout).then_some(Duration::from_millis(1500)),
            ..order(&script)
        });
        if ending != Ending::Timeout {
            ready(&run).await;
        }
        match ending {
            Ending::Stop => run.stop(),
            Ending::Timeout => _ = run.wait().await,
            _ => drop(run),
        }
    }
    assert_eq!(processes::left_after(&canary, LIMIT), [0; 0]);
}

fn start(order: Order) -> Run {
    let directory = open("/".as_ref()).unwrap();
    supervisors().start(order, directory.as_fd()).unwrap()
}

async fn ready(run: &Run) {
    let mut said = Vec::new();
    while !said.windows(5).any(|part| part == b"ready") {
        assert_eq!(run.ended(), None, "{}", String::from_utf8_lossy(&said));
        run.wait_for_output(said.len() as u64).await;
        said = run.section(0, 4096).bytes;
    }
}
