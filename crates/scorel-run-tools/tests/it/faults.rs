//! One patch of the document, with a fault or a kill at each of its system calls.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use scorel_workflow::RunDocument;
use serde_json::json;

use crate::run::{DOCUMENT, TestRun, names};

/// Names the directory of the run to the process that makes the patch.
const ONE_PATCH: &str = "SCOREL_TEST_ONE_PATCH";

/// The system calls that change files.
const CHANGES: [&str; 9] = [
    "write",
    "fchmod",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
];

/// The system calls that look at files, once the mounts are open.
const LOOKS: [&str; 9] = [
    "openat",
    "openat2",
    "read",
    "fstat",
    "statx",
    "faccessat",
    "readlinkat",
    "flistxattr",
    "flock",
];

/// More than a thread of the patch makes of any call.
const MOST: usize = 32;

/// A system call that is disturbed.
#[derive(Debug, Clone, Copy)]
struct Disturbed {
    call: &'static str,
    fault: &'static str,
    /// True if only calls on the files of the run count: the process begins with others.
    of_run: bool,
}

fn disturbed() -> Vec<Disturbed> {
    let faults = ["error=EIO", "error=ENOSPC", "signal=SIGKILL"];
    let changes = faults.iter().flat_map(|fault| {
        CHANGES.map(|call| Disturbed {
            call,
            fault,
            of_run: false,
        })
    });
    let looks = LOOKS.map(|call| Disturbed {
        call,
        fault: "error=EIO",
        of_run: call != "flock",
    });
    changes.chain(looks).collect()
}

/// The process that is traced: it leaves `ask`, and says how that ended. As a test of its own it does nothing.
#[test]
fn a_patch_in_its_own_process() {
    let Some(dir) = env::var_os(ONE_PATCH) else {
        return;
    };
    let run = TestRun::at(Path::new(&dir));
    let turn = run.turn();
    let read = turn.call("fs_read", json!({"path": "@state/workflow.md"}));
    let patched = (!read.outcome.is_error).then(|| {
        turn.patch(
            json!({"stepsCompleted": {"append": ["ask"]}, "currentNodeId": {"set": "write"}}),
        )
    });
    let answer = patched.unwrap_or(read);
    match answer.outcome.is_error {
        true => println!("\nFAILED {}", answer.code()),
        false => println!("\nWRITTEN"),
    }
}

/// The end of the process, and true if the fault was met.
struct Traced {
    output: String,
    is_met: bool,
}

fn traced(run: &TestRun, disturbed: Disturbed, number: usize) -> Traced {
    let Disturbed {
        call,
        fault,
        of_run,
    } = disturbed;
    let dir = run.home().parent().unwrap().to_owned();
    let log = dir.join("trace");
    let mut command = Command::new("strace");
    let state = run.bound.state_dir();
    let files = [&state, &state.join("workflow.md"), &run.bound.run_dir];
    let files = files.into_iter().filter(|_| of_run);
    let ran = command
        .args(["-f", "-q", "-o", log.to_str().unwrap()])
        .args(files.flat_map(|file| ["-P", file.to_str().unwrap()]))
        .args(["-e", &format!("trace={call}")])
        .args(["-e", &format!("inject={call}:{fault}:when={number}")])
        .arg(env::current_exe().unwrap())
        .args([
            "faults::a_patch_in_its_own_process",
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(ONE_PATCH, &dir)
        .output()
        .unwrap();
    let log = fs::read_to_string(log).unwrap();
    Traced {
        output: String::from_utf8_lossy(&ran.stdout).into_owned(),
        is_met: log.contains("(INJECTED)") || log.contains("killed by SIGKILL"),
    }
}

/// The version of the document that is there: before or after the patch.
fn is_after(run: &TestRun, what: &str) -> bool {
    let text = run.text();
    let document = RunDocument::parse(text.as_str());
    let document = document.unwrap_or_else(|error| panic!("{what}: {error}: {text}"));
    let state = document.state();
    match text == DOCUMENT {
        true => false,
        false => {
            assert_eq!(
                state.steps_completed,
                ["ask"],
                "{what}: the step is there once"
            );
            assert_eq!(state.current_node_id, "write", "{what}");
            true
        }
    }
}

#[test]
fn a_patch_is_made_or_not_whatever_fails() {
    if let Err(error) = Command::new("strace").arg("-V").output() {
        assert!(env::var_os("CI").is_none(), "cannot run strace: {error}");
        eprintln!("skipped: cannot run strace: {error}");
        return;
    }
    let (mut faults, mut written) = (0, 0);
    for disturbed in disturbed() {
        for number in 1..=MOST {
            let what = format!("{disturbed:?} {number}");
            let run = TestRun::new();
            let traced = traced(&run, disturbed, number);
            if !traced.is_met {
                break;
            }
            assert!(number < MOST, "{what}");
            let is_after = is_after(&run, &what);
            let mut lines = traced.output.lines();
            match lines.find(|line| line.starts_with("WRITTEN") || line.starts_with("FAILED")) {
                Some(said) => assert_eq!(said == "WRITTEN", is_after, "{what}: {said}"),
                None => assert!(
                    disturbed.fault.starts_with("signal") || disturbed.call == "write",
                    "{what}: {}",
                    traced.output
                ),
            }
            faults += 1;
            written += usize::from(is_after);
            goes_on(&run, &what);
        }
    }
    assert!(
        faults > 60 && written > 0 && written < faults,
        "{faults} {written}"
    );
    println!("{faults} faults, the patch was made in {written}");
}

/// The next daemon goes on, and leaves nothing of the one before.
fn goes_on(run: &TestRun, what: &str) {
    let turn = run.turn();
    turn.call("fs_read", json!({"path": "@state/workflow.md"}))
        .ok();
    turn.patch(json!({"variables": {"set": {"goes": "on"}}}))
        .ok();
    assert_eq!(names(&run.bound.state_dir()), ["workflow.md"], "{what}");
    let copy = fs::read_to_string(run.bound.run_dir.join("last-good.md")).unwrap();
    assert_eq!(copy, run.text(), "{what}");
}
