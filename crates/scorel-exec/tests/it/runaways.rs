//! Commands whose processes try to survive them.
//!
//! Twelve shapes, each ended in four ways; no process is left after two seconds. Coverage:
//!
//! | ended by | of the run itself, with a sandbox and without | of the tools, in a sandbox |
//! |---|---|---|
//! | cancelling the call | `stop`, as that is what it does first | `cancel` |
//! | the time limit | `timeout` | `timeout` |
//! | `BashStop` | `stop` | `bashstop` |
//! | the session's end | `handledropped` | `background_commands_end_with_the_session` |
//! | `kill -9` of the daemon | `daemonkilled`, of a small daemon | of the real daemon: its own tests |
//!
//! The first column is here (`runaways::<shape>_<ending>_<place>_leaves_nothing`), the second among
//! the tests of `scorel-tools`, with the same shapes. One cell is empty: a command without a sandbox
//! that kills its supervisor while the daemon is killed.

use std::os::fd::AsFd as _;
use std::time::Duration;

use libtest_mimic::Trial;
use scorel_exec::{CommandOrder, Run, Sandbox};

use crate::shapes::SHAPES;
use crate::{daemon, open, order, processes, supervisors, trial};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Ending {
    Stop,
    Timeout,
    HandleDropped,
    DaemonKilled,
}

pub(crate) fn trials() -> Vec<Trial> {
    use Ending::*;
    let mut trials = Vec::new();
    for (name, script) in SHAPES {
        for ending in [Stop, Timeout, HandleDropped, DaemonKilled] {
            for in_sandbox in [false, true] {
                // If a command kills its supervisor while the daemon is killed too, no process is
                // left to clean up.
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
    trials.push(trial(
        "runaways::guarded_places_are_put_back_when_the_daemon_is_killed",
        guarded,
    ));
    trials
}

async fn guarded() {
    let canary = processes::canary();
    let directory = tempfile::tempdir().unwrap();
    let project = directory.path().canonicalize().unwrap();
    std::fs::write(project.join("guarded"), "old").unwrap();
    let path = project.to_str().unwrap();
    let script =
        format!("cd {path}; echo x > guarded; chmod 777 guarded; echo ready; sleep {canary}");
    let mut daemon = daemon::start(&script, Some(path));
    let changed = std::fs::read_to_string(project.join("guarded")).unwrap();
    assert_eq!(changed, "x\n");
    let [supervisor] = processes::children(daemon.id(), "--supervise")[..] else {
        panic!("one supervisor");
    };
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    processes::wait_for_end(supervisor, processes::LIMIT);
    let now = std::fs::read_to_string(project.join("guarded")).unwrap();
    assert_eq!(now, "old");
    assert_eq!(processes::with(&canary), [0; 0]);
}

async fn check(script: &str, ending: Ending, in_sandbox: bool) {
    let canary = processes::canary();
    let script = script.replace("$C", &canary);
    let directory = tempfile::tempdir().unwrap();
    if ending == Ending::DaemonKilled {
        let writable = in_sandbox.then(|| directory.path().to_str().unwrap());
        let mut daemon = daemon::start(&script, writable);
        assert!(processes::appear(&canary, processes::LIMIT));
        daemon.kill().unwrap();
        daemon.wait().unwrap();
    } else {
        let sandbox = Sandbox {
            writable: vec![directory.path().to_owned()],
            ..Sandbox::default()
        };
        let run = start(CommandOrder {
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
    assert_eq!(processes::left_after(&canary, processes::LIMIT), [0; 0]);
}

fn start(order: CommandOrder) -> Run {
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
