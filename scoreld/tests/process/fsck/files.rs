//! Everything in a home but what logs say.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::crafted::{Crafted, make_dir, set_mode, write_private};

/// Makes something that is not a regular file.
type Maker = fn(&Path);

fn make_link(path: &Path) {
    symlink("/dev/zero", path).unwrap();
}

fn make_fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn special_files_in_place_of_a_log_are_reported_and_never_opened() {
    let makers: [(&str, Maker); 3] = [
        ("a FIFO", make_fifo),
        ("a directory", make_dir),
        ("a symbolic link", make_link),
    ];
    for (what, make) in makers {
        let crafted = Crafted::titled();
        fs::remove_file(crafted.log()).unwrap();
        make(&crafted.log());
        for arguments in [&[][..], &["--repair"]] {
            let said = crafted.fsck(arguments);
            assert_eq!(said.codes(), ["not_regular"], "{what}");
            assert_eq!(said.code, Some(1));
            let meaning = said.finding("not_regular")["meaning"].as_str().unwrap();
            assert!(meaning.contains(what), "{meaning}");
        }
        assert!(fs::symlink_metadata(crafted.log()).is_ok());
    }
}

#[test]
fn a_missing_log_and_an_unfinished_session_are_distinguished() {
    let crafted = Crafted::titled();
    fs::remove_file(crafted.log()).unwrap();
    let said = crafted.fsck(&[]);
    assert_eq!(said.codes(), ["unmade"]);
    assert_eq!(crafted.fsck(&["--repair"]).code, Some(0));
    assert!(!crafted.dir().exists());
    assert!(crafted.fsck(&[]).is_clean());
    make_dir(&crafted.dir());
    write_private(&crafted.dir().join("events.jsonl.new"), b"{");
    assert_eq!(crafted.fsck(&["--repair"]).code, Some(0));
    assert!(!crafted.dir().exists());
    make_dir(&crafted.dir());
    write_private(&crafted.dir().join("checkpoint"), b"");
    let said = crafted.fsck(&["--repair"]);
    assert_eq!(said.codes(), ["log_missing"]);
    assert_eq!(said.code, Some(1));
}

#[test]
fn modes_are_put_right() {
    let crafted = Crafted::titled();
    let blobs = crafted.dir().join("blobs");
    make_dir(&blobs);
    write_private(&crafted.place.path("config.toml"), b"");
    let wrong = [
        (crafted.place.home(), 0o755, 0o700),
        (crafted.place.path("config.toml"), 0o644, 0o600),
        (crafted.place.path("sessions"), 0o750, 0o700),
        (crafted.dir(), 0o777, 0o700),
        (crafted.log(), 0o000, 0o600),
        (blobs, 0o705, 0o700),
    ];
    for (path, mode, _) in wrong.iter().rev() {
        set_mode(path, *mode);
    }
    let said = crafted.fsck(&[]);
    let modes = said.codes().iter().filter(|code| **code == "mode").count();
    assert_eq!(modes, wrong.len(), "{:?}", said.findings);
    assert_eq!(crafted.fsck(&["--repair"]).code, Some(0));
    for (path, _, right) in wrong {
        assert_eq!(
            fs::metadata(&path).unwrap().mode() & 0o777,
            right,
            "{path:?}"
        );
    }
    assert!(crafted.fsck(&[]).is_clean());
}

#[test]
fn damaged_derived_files_are_removed_and_copies_are_listed() {
    let crafted = Crafted::titled();
    let (home, dir) = (crafted.place.home(), crafted.dir());
    let removed = [
        home.join("index"),
        home.join("active"),
        dir.join("checkpoint"),
    ];
    let kept = [
        dir.join("events.jsonl.torn-900"),
        dir.join("events.jsonl.before-repair-7"),
        home.join("receipts.jsonl.damaged-1"),
        dir.join("notes.txt"),
    ];
    for path in removed.iter().chain(&kept) {
        write_private(path, b"[{");
    }
    let said = crafted.fsck(&[]);
    assert_eq!(said.codes().len(), removed.len(), "{:?}", said.findings);
    assert_eq!(said.summary["repairable"], removed.len());
    assert_eq!(said.notes(), ["kept"; 3]);
    assert_eq!(crafted.fsck(&["--repair"]).code, Some(0));
    for path in &removed {
        assert!(!path.exists(), "{path:?}");
    }
    for path in &kept {
        assert!(path.exists(), "{path:?}");
    }
    assert!(crafted.fsck(&[]).is_clean());
}

#[test]
fn temporary_files_are_no_finding_and_the_next_daemon_removes_them() {
    let crafted = Crafted::titled();
    let (home, dir) = (crafted.place.home(), crafted.dir());
    make_dir(&dir.join("blobs"));
    let left = [
        home.join(".active.3.tmp"),
        home.join(".index.3.tmp"),
        dir.join(".checkpoint.0.tmp"),
        dir.join("events.jsonl.copy"),
        dir.join("events.jsonl.tail"),
        dir.join("blobs/.ab.1.tmp"),
    ];
    for path in &left {
        write_private(path, b"[{");
    }
    assert!(crafted.fsck(&[]).is_clean());
    assert_eq!(crafted.fsck(&["--repair"]).code, Some(0));
    let mut daemon = crafted.place.start();
    assert_eq!(daemon.stop().code(), Some(0));
    for path in &left {
        assert!(!path.exists(), "{path:?}");
    }
}

#[test]
fn files_that_only_their_owner_can_restore_are_named() {
    let crafted = Crafted::titled();
    for (name, text) in [
        ("config.toml", "[modle]\n"),
        ("device.json", "{"),
        ("projects.json", "[]"),
    ] {
        let path = crafted.place.path(name);
        write_private(&path, text.as_bytes());
        for arguments in [&[][..], &["--repair"]] {
            let said = crafted.fsck(arguments);
            assert_eq!(said.codes(), ["invalid"], "{name}");
            assert_eq!(said.finding("invalid")["file"], path.to_str().unwrap());
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        fs::remove_file(&path).unwrap();
        make_fifo(&path);
        assert_eq!(crafted.fsck(&[]).codes(), ["not_regular"], "{name}");
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn damaged_receipts_are_reported_with_their_place_and_repaired_after_a_copy() {
    let crafted = Crafted::titled();
    let path = crafted.place.path("receipts.jsonl");
    let covered =
        r#"{"state":"abandoned","clientId":"cli_01ARZ3NDEKTSV4RRFFQ69G5FAV","commandId":"c""#;
    let crc = crc32c::crc32c(covered.as_bytes());
    let line = format!("{covered},\"crc\":\"{crc:08x}\"}}\n");
    let bad = line.replace("abandoned", "abandoneD");
    let damaged = format!("{line}{bad}{line}{{\"half");
    write_private(&path, damaged.as_bytes());
    let said = crafted.fsck(&[]);
    let (offset, length) = (line.len() as u64, line.len() as u64 - 1);
    assert_eq!(said.places(), [("receipt_damaged", offset, length)]);
    assert_eq!(said.notes(), ["receipt_torn"]);
    assert_eq!(crafted.fsck(&["--repair"]).code, Some(0));
    assert_eq!(fs::read_to_string(&path).unwrap(), line.repeat(2));
    let said = crafted.fsck(&[]);
    assert!(said.is_clean(), "{:?}", said.findings);
    let copy = said.finding("kept")["file"].as_str().unwrap();
    assert_eq!(fs::read_to_string(copy).unwrap(), damaged);
}

#[test]
fn names_that_are_no_sessions_are_notes_and_cannot_steer_the_terminal() {
    let crafted = Crafted::titled();
    let sessions = crafted.place.path("sessions");
    for name in ["a\n\u{1b}[2Jb", ".deleted-ses_x", "ses_lower"] {
        make_dir(&sessions.join(name));
    }
    let said = crafted.fsck(&[]);
    assert!(said.is_clean());
    assert_eq!(said.notes(), ["no_session"; 3]);
    let text = crafted.place.run(&["fsck"]).stdout;
    assert!(!text.contains(&0x1b));
    let link = scorel_proto::SessionId::generate().to_string();
    symlink(crafted.dir(), sessions.join(link)).unwrap();
    assert_eq!(crafted.fsck(&[]).codes(), ["not_directory"]);
}

#[test]
fn what_is_left_of_a_clone_is_a_note_and_the_next_daemon_removes_it() {
    let crafted = Crafted::titled();
    let cloning = crafted.place.path("sessions/.cloning");
    make_dir(&cloning);
    assert_eq!(
        crafted.fsck(&[]).notes(),
        [""; 0],
        "the daemon keeps it empty"
    );
    let left = cloning.join("ses_half");
    make_dir(&left);
    write_private(&left.join("events.jsonl"), b"{");
    for arguments in [&[][..], &["--repair"]] {
        let said = crafted.fsck(arguments);
        assert!(said.is_clean());
        assert_eq!(said.notes(), ["no_session"]);
        assert!(left.exists(), "the daemon removes it, not a repair");
    }
    let text = String::from_utf8(crafted.place.run(&["fsck"]).stdout).unwrap();
    assert!(text.contains("left over from a clone"), "{text}");
    let mut daemon = crafted.place.start();
    assert!(!left.exists());
    let said = crafted.fsck(&[]);
    assert!(said.is_clean());
    make_dir(&cloning);
    make_dir(&left);
    assert_eq!(
        crafted.fsck(&[]).notes(),
        [""; 0],
        "a clone may be in progress"
    );
    assert_eq!(daemon.stop().code(), Some(0));
}

#[test]
fn a_checkpoint_of_another_log_is_a_note() {
    let crafted = Crafted::titled();
    let point = crafted.journal().resume_point().unwrap();
    let mut payload = serde_json::to_vec(&json!({"resume": point})).unwrap();
    payload.push(b'\n');
    let storage = scorel_journal::FileStorage;
    let other = Crafted::titled();
    other.append(&vec![json!({"type": "session_info", "changes": {}}); 5]);
    for (payload, notes) in [
        (&payload[..], ["checkpoint_stale"]),
        (b"?\n", ["checkpoint_stale"]),
    ] {
        scorel_journal::write_checkpoint(&storage, &other.dir(), 1, payload).unwrap();
        let said = other.fsck(&[]);
        assert!(said.is_clean(), "{:?}", said.findings);
        assert_eq!(said.notes(), notes);
    }
}
