//! `trust.json` with the digests of entries: checked, restored from a backup, damaged, of a newer program.

use std::fs;
use std::path::Path;

use scorel_testkit::{DaemonUnderTest, ModelServer};
use serde_json::Value;

use super::{has_lure, reading, trust, turn};
use crate::under_test::{output, scorelctl};

/// A daemon that was stopped, with a guard of the project that was trusted and has run.
async fn guarded(turns: usize) -> (DaemonUnderTest, ModelServer) {
    let (mut daemon, model) = reading(turns).await;
    daemon.spawn().await;
    let shown = trust(&daemon, &["add", "hook:guard"]).await;
    assert!(
        shown.contains("hook:guard                  trusted"),
        "{shown}"
    );
    turn(&daemon).await;
    assert!(has_lure(&model), "the guard runs");
    daemon.stop().await;
    let (document, _) = document(&daemon);
    let projects = document["projects"].as_object().unwrap();
    let entry = &projects.values().next().unwrap()["hook:guard"];
    assert_eq!(entry["config"].as_str().map(str::len), Some(64), "{entry}");
    (daemon, model)
}

fn document(daemon: &DaemonUnderTest) -> (Value, String) {
    let text = fs::read_to_string(daemon.home().join("trust.json")).unwrap();
    (serde_json::from_str(&text).unwrap(), text)
}

/// The messages of `doctor`, and what `fsck` finds in the file.
async fn checked(daemon: &DaemonUnderTest) -> (String, Vec<String>) {
    let doctor = scorelctl(daemon, &["doctor"], &[]).await;
    let doctor = String::from_utf8(doctor.stdout).unwrap();
    let fsck = scorelctl(daemon, &["fsck", "--json"], &[]).await;
    let lines = String::from_utf8(fsck.stdout).unwrap();
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let of_file = |it: &Value| {
        it["file"]
            .as_str()
            .is_some_and(|it| it.ends_with("trust.json"))
    };
    let found = lines.filter(of_file).map(|it| it["meaning"].to_string());
    (doctor, found.collect())
}

async fn copy(from: &Path, to: &Path) {
    let mut command = tokio::process::Command::new("cp");
    let copied = output(command.arg("-a").args([from, to])).await;
    assert!(copied.status.success(), "{copied:?}");
}

#[tokio::test]
async fn trust_that_was_restored_from_a_backup_is_trust() {
    let (mut daemon, model) = guarded(2).await;
    let (doctor, found) = checked(&daemon).await;
    assert!(!doctor.contains("trust.json"), "{doctor}");
    assert_eq!(found, [""; 0]);
    let (_, before) = document(&daemon);
    let backup = daemon.root().join("backup");
    copy(&daemon.home(), &backup).await;
    fs::remove_dir_all(daemon.home()).unwrap();
    copy(&backup, &daemon.home()).await;
    daemon.spawn().await;
    assert_eq!(document(&daemon).1, before);
    model.take_requests();
    turn(&daemon).await;
    assert!(has_lure(&model), "the guard runs");
}

#[tokio::test]
async fn trust_that_cannot_be_read_trusts_nothing_and_is_kept() {
    let (mut daemon, model) = guarded(4).await;
    let (_, good) = document(&daemon);
    let path = daemon.home().join("trust.json");
    // `doctor` and `fsck` see to the form of the file, the daemon to what it says as well.
    let damaged = "fix it, or remove it";
    let another_type = good.replace("\"config\": \"", "\"config\": 7, \"x\": \"");
    let newer = good.replace("\"version\": 1", "\"version\": 2");
    let cases = [
        (good[..good.len() / 2].to_owned(), damaged, true),
        (newer, "version 2", true),
        (another_type, damaged, false),
    ];
    for (text, reason, is_form) in cases {
        assert_ne!(text, good);
        fs::write(&path, &text).unwrap();
        let (doctor, found) = checked(&daemon).await;
        let is_told = doctor.contains("trust.json") && doctor.contains(reason);
        assert_eq!(is_told, is_form, "{doctor}");
        let is_found = found.len() == 1 && found[0].contains(reason);
        assert_eq!(is_found, is_form, "{found:?}");
        daemon.spawn().await;
        model.take_requests();
        turn(&daemon).await;
        assert!(!has_lure(&model), "nothing is trusted");
        for arguments in [&["trust"][..], &["trust", "add", "hook:guard"]] {
            let refused = scorelctl(&daemon, arguments, &[]).await;
            let told = String::from_utf8(refused.stderr).unwrap();
            assert!(!refused.status.success() && told.contains(reason), "{told}");
        }
        daemon.stop().await;
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    fs::write(&path, &good).unwrap();
    daemon.spawn().await;
    model.take_requests();
    turn(&daemon).await;
    assert!(has_lure(&model), "the guard runs");
}
