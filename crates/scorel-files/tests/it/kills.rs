//! `kill -9` between any two system calls of a restore of 20 files.
//!
//! The restore runs in this program, executed again under `strace`, which kills it in a chosen call.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use scorel_files::{CheckpointLimits, FileRecorder, ProjectDir};
use scorel_proto::FileChange;

use crate::project::{Project, undoing};

/// The calls that change something.
const CALLS: [&str; 9] = [
    "openat",
    "write",
    "fchmod",
    "fsync",
    "renameat",
    "renameat2",
    "unlinkat",
    "mkdirat",
    "symlinkat",
];

/// Whether to kill in all of the calls and not in every seventh of a kind.
const ALL: &str = "SCOREL_SYSCALL_KILLS";

const PROJECT: &str = "SCOREL_TEST_PROJECT";
const SESSION: &str = "SCOREL_TEST_SESSION";

/// Not a test by itself: the process that is killed.
#[test]
fn restores_if_it_is_told_to() {
    let (Some(project), Some(session)) = (env::var_os(PROJECT), env::var_os(SESSION)) else {
        return;
    };
    let session = PathBuf::from(session);
    let record = fs::read(session.join("record")).unwrap();
    let files: Vec<FileChange> = serde_json::from_slice(&record).unwrap();
    let dir = ProjectDir::open(Path::new(&project)).unwrap();
    let recorder = FileRecorder::new(dir, &session, CheckpointLimits::default());
    assert_eq!(recorder.restore("evt_1", &files, |_| true), []);
}

#[test]
fn killed_in_any_call_a_restore_is_completed_by_its_repetition() {
    let works = Command::new("strace")
        .args(["-o", "/dev/null", "true"])
        .status();
    if !works.is_ok_and(|status| status.success()) {
        println!("skipped: strace does not work here");
        return;
    }
    let every = match env::var_os(ALL) {
        Some(_) => 1,
        None => 7,
    };
    let mut deaths = 0;
    for call in CALLS {
        // The harness makes some of these calls itself, before the restore.
        for count in (1..).step_by(every) {
            match died_at(call, count) {
                true => deaths += 1,
                false => break,
            }
        }
    }
    assert!(
        deaths > 150 / every,
        "a restore of 20 files makes more calls than {deaths}"
    );
}

fn died_at(call: &str, count: u32) -> bool {
    let project = Project::new();
    for number in 0..7 {
        project.write(format!("w{number}"), "before");
    }
    for number in 0..3 {
        project.link(&format!("l{number}"), "w0");
    }
    for number in 0..5 {
        project.write(format!("d/{number}"), "deleted");
    }
    let before = project.snapshot();
    let recorder = project.recorder();
    let recorded = project.watch(&recorder, || {
        for number in 0..7 {
            project.write(format!("w{number}"), "after");
        }
        project.sh("ln -sfn w1 l0; ln -sfn w1 l1; ln -sfn w1 l2");
        fs::remove_dir_all(project.path("d")).unwrap();
        for number in 0..5 {
            project.write(format!("new{number}/made"), "new");
        }
    });
    let (files, _) = undoing(&recorder, &recorded.files);
    assert_eq!(files.len(), 20);
    let record = serde_json::to_vec(&files).unwrap();
    fs::write(project.session().join("record"), record).unwrap();
    let status = Command::new("timeout")
        .args(["120", "strace", "-f", "-qq", "-o", "/dev/null", "-e"])
        .arg(format!("inject={call}:signal=KILL:when={count}"))
        .arg(env::current_exe().unwrap())
        .args([
            "--exact",
            "kills::restores_if_it_is_told_to",
            "--test-threads=1",
        ])
        .env(PROJECT, project.path(""))
        .env(SESSION, project.session())
        .output()
        .unwrap()
        .status;
    assert_eq!(
        recorder.restore("evt_1", &files, |_| true),
        [],
        "{call} {count}"
    );
    assert_eq!(project.snapshot(), before, "{call} {count}");
    !status.success()
}
