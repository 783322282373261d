//! Supervisors that cannot do their work say so.

use std::os::fd::AsFd as _;
use std::path::PathBuf;

use libtest_mimic::Trial;
use scorel_exec::{
    CommandOrder, CommandResources, EndCause, Guard, GuardRule, GuardedPlace, ResourceLimits,
    Sandbox,
};

use crate::{open, order, processes, supervisors, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "failing::a_supervisor_that_cannot_scan_reports_it",
            cannot_scan,
        ),
        trial(
            "failing::a_supervisor_that_cannot_wait_leaves_the_end_to_the_daemon",
            cannot_wait,
        ),
        trial(
            "failing::a_supervisor_that_cannot_measure_ends_the_command",
            cannot_measure,
        ),
        trial(
            "failing::a_file_that_cannot_be_restored_is_reported_sandbox",
            cannot_restore,
        ),
    ]
}

/// A command outside the sandbox takes the supervisor's descriptors, without which it cannot read the
/// process table.
async fn cannot_scan() {
    let canary = processes::canary();
    let script =
        format!("setsid sleep {canary} & prlimit --pid $PPID --nofile=0:0; echo ready; wait");
    let directory = open("/".as_ref()).unwrap();
    let run = supervisors()
        .start(order(&script), directory.as_fd())
        .unwrap();
    run.wait_for_output(0).await;
    run.stop();
    let end = run.wait().await;
    // If it was not waiting yet, it cannot even do that.
    let expected = ["Too many open files", "cannot wait"];
    let is_expected = |problem: &String| expected.iter().any(|part| problem.contains(part));
    assert!(end.problems.iter().any(is_expected), "{end:?}");
    assert_eq!(processes::left_after(&canary, processes::LIMIT), [0; 0]);
}

/// SIGUSR1 has it look whether the daemon is there, and then wait again.
async fn cannot_wait() {
    let canary = processes::canary();
    let script =
        format!("setsid sleep {canary} & prlimit --pid $PPID --nofile=0:0; kill -USR1 $PPID; wait");
    let directory = open("/".as_ref()).unwrap();
    let run = supervisors()
        .start(order(&script), directory.as_fd())
        .unwrap();
    let end = run.wait().await;
    assert_eq!(end.cause, EndCause::SupervisorLost);
    assert!(
        end.problems
            .iter()
            .any(|problem| problem.contains("cannot wait")),
        "{end:?}"
    );
    assert_eq!(processes::left_after(&canary, processes::LIMIT), [0; 0]);
}

/// On a busy machine it may find first that it cannot wait.
async fn cannot_measure() {
    let canary = processes::canary();
    let order = CommandOrder {
        resources: Some(CommandResources {
            limits: ResourceLimits::default(),
            scratch: Vec::new(),
            group: None,
        }),
        ..order(&format!("prlimit --pid $PPID --nofile=0:0; sleep {canary}"))
    };
    let directory = open("/".as_ref()).unwrap();
    let run = supervisors().start(order, directory.as_fd()).unwrap();
    let end = run.wait().await;
    assert!(
        end.problems
            .iter()
            .any(|problem| problem.contains("cannot measure") || problem.contains("cannot wait")),
        "{end:?}"
    );
    assert_eq!(processes::left_after(&canary, processes::LIMIT), [0; 0]);
}

/// The directory of a guarded file is replaced by one that nothing can be made in: the project's root is
/// gone, and with it the place.
async fn cannot_restore() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap().join("project");
    std::fs::create_dir_all(&root).unwrap();
    std::fs::write(root.join("guarded"), "old").unwrap();
    let place = GuardedPlace {
        path: PathBuf::from("guarded"),
        anchor: PathBuf::new(),
        rule: GuardRule::Unchanged,
    };
    let order = CommandOrder {
        sandbox: Some(Sandbox {
            writable: vec![directory.path().to_owned()],
            guard: Some(Guard {
                root: root.clone(),
                places: vec![place],
                ..Guard::default()
            }),
            ..Sandbox::default()
        }),
        ..order(&format!("rm -r {}", root.display()))
    };
    let opened = open(directory.path()).unwrap();
    let run = supervisors().start(order, opened.as_fd()).unwrap();
    let end = run.wait().await;
    assert_eq!(end.cause, EndCause::Exited);
    assert!(
        end.problems
            .iter()
            .any(|problem| problem.starts_with("cannot restore guarded")),
        "{end:?}"
    );
}
