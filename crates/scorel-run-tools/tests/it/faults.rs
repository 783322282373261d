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
const CALLS: [&str; 7] = [
    "write",
    "fchmod",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
];

/// More than a thread of the patch makes of any call.
const MOST: usize = 16;

/// The process that is traced: it leaves `ask`, and says how that ended. As a test of its own it does nothing.
#[test]
fn a_patch_in_its_own_process() {
    let Some(dir) = env::var_os(ONE_PATCH) else {
        return;
    };
    let run = TestRun::at(Path::new(&dir));
    let answer = run.turn().go("ask", "write");
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

fn traced(run: &TestRun, fault: &str, call: &str, number: usize) -> Traced {
    let dir = run.home().parent().unwrap().to_owned();
    let log = dir.join("trace");
    let ran = Command::new("strace")
        .args(["-f", "-q", "-o", log.to_str().unwrap()])
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
    for fault in ["error=EIO", "error=ENOSPC", "signal=SIGKILL"] {
        for call in CALLS {
            for number in 1..=MOST {
                let what = format!("{fault} {call} {number}");
                let run = TestRun::new();
                let traced = traced(&run, fault, call, number);
                if !traced.is_met {
                    break;
                }
                assert!(number < MOST, "{what}");
                let is_after = is_after(&run, &what);
                match traced
                    .output
                    .lines()
                    .find(|line| line.starts_with("WRITTEN") || line.starts_with("FAILED"))
                {
                    Some(said) => assert_eq!(said == "WRITTEN", is_after, "{what}: {said}"),
                    None => assert!(
                        fault.starts_with("signal") || call == "write",
                        "{what}: {}",
                        traced.output
                    ),
                }
                faults += 1;
                written += usize::from(is_after);
                // The next daemon goes on, and leaves nothing of the one before.
                let turn = run.turn();
                turn.call("fs_read", json!({"path": "@state/workflow.md"}))
                    .ok();
                turn.patch(json!({"variables": {"set": {"goes": "on"}}}))
                    .ok();
                assert_eq!(names(&run.bound.state_dir()), ["workflow.md"], "{what}");
                let copy = fs::read_to_string(run.bound.run_dir.join("last-good.md")).unwrap();
                assert_eq!(copy, run.text(), "{what}");
            }
        }
    }
    assert!(
        faults > 20 && written > 0 && written < faults,
        "{faults} {written}"
    );
    println!("{faults} faults, the patch was made in {written}");
}
