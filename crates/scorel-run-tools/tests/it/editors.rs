//! Patches against the ways in which editors save.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use scorel_workflow::RunDocument;
use serde_json::json;

use crate::run::{DOCUMENT, TestRun};

/// A way to save a text.
type Save = fn(&Path, &str);

const WAYS: [(&str, Save); 3] = [
    ("a new file takes the place", |path, text| {
        let new = path.with_extension("new");
        fs::write(&new, text).unwrap();
        fs::rename(new, path).unwrap();
    }),
    ("the old file is kept as a copy", |path, text| {
        let kept = path.with_extension("md~");
        let _ = fs::rename(path, kept);
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)
            .unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }),
    ("the file is written in place", |path, text| {
        let mut file = OpenOptions::new()
            .write(true)
            .truncate(true)
            .open(path)
            .unwrap();
        file.write_all(text.as_bytes()).unwrap();
    }),
];

/// Interleavings of each way.
fn rounds() -> usize {
    match std::env::var_os("SCOREL_LONG") {
        Some(_) => 2_000,
        None => 70,
    }
}

#[test]
fn a_patch_and_a_save_leave_one_of_two_versions_and_the_loser_gets_both_hashes() {
    for (way, save) in WAYS {
        let (mut won, mut lost, mut vanished) = (0, 0, 0);
        for round in 0..rounds() {
            let run = TestRun::new();
            let turn = run.turn();
            turn.call("fs_read", json!({"path": "@state/workflow.md"}))
                .ok();
            let saved = DOCUMENT.replace("owner: ann", &format!("owner: bob{round}"));
            let (path, go) = (run.document(), AtomicBool::new(false));
            let answer = thread::scope(|scope| {
                scope.spawn(|| {
                    while !go.load(Ordering::Acquire) {
                        std::hint::spin_loop();
                    }
                    // Somewhere within the time that a patch takes.
                    for _ in 0..(round % 10) * 20_000 {
                        std::hint::spin_loop();
                    }
                    save(&path, &saved);
                });
                go.store(true, Ordering::Release);
                turn.patch(json!({"variables": {"set": {"round": round}}}))
            });
            let text = run.text();
            RunDocument::parse(text.as_str())
                .unwrap_or_else(|error| panic!("{way}: {error}: {text}"));
            let has_save = text.contains(&format!("bob{round}"));
            if answer.outcome.is_error {
                lost += 1;
                // An editor that is not done yet shows half a file, or none.
                assert!(
                    ["E_PRECONDITION_FAILED", "ENOENT"].contains(&answer.code()),
                    "{way}: {:?}",
                    answer.outcome
                );
                if answer.code() == "E_PRECONDITION_FAILED" {
                    let hashes: HashSet<_> = ["expected", "actual"]
                        .map(|it| answer.details()[it].to_string())
                        .into();
                    assert_eq!(hashes.len(), 2, "{way}");
                }
                assert!(has_save, "{way}: a save was lost to a patch that failed");
            } else {
                won += 1;
                vanished += usize::from(!has_save);
            }
            let left = crate::run::names(path.parent().unwrap());
            assert!(
                !left
                    .iter()
                    .any(|name| name.contains("tmp") || name.starts_with(".scorel")),
                "{left:?}"
            );
        }
        // One that has the old file open can still write to it when it is out of the way.
        let may_vanish = way == "the file is written in place";
        assert!(
            vanished == 0 || may_vanish,
            "{way}: {vanished} saves vanished"
        );
        println!("{way}: {won} patches were made, {lost} refused; {vanished} saves vanished");
    }
}
