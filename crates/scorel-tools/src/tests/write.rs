//! What `Write` makes of files.

use std::fs;

use serde_json::json;
use sha2::{Digest as _, Sha256};

use scorel_engine::Permit;
use scorel_exec::Umask;

use super::project::{Project, Session};
use crate::ProjectTools;
use crate::root::{Root, RootName};
use crate::roots::Roots;

#[test]
fn a_new_file_and_its_directories_are_made() {
    let project = Project::new();
    let session = Session::on(&project);
    let answer = session.write("src/deep/new.rs", "one\ntwo\n");
    assert_eq!(answer.ok(), "Created src/deep/new.rs: 8 bytes.\n");
    assert_eq!(project.content("src/deep/new.rs"), "one\ntwo\n");
    assert_eq!(
        answer.details,
        json!({
            "ok": true,
            "path": "@project/src/deep/new.rs",
            "bytes": 8,
            "sha256": format!("{:x}", Sha256::digest("one\ntwo\n")),
            "created": true,
            "linesAdded": 2,
            "linesRemoved": 0,
            "diff": "--- a/src/deep/new.rs\n+++ b/src/deep/new.rs\n@@ -0,0 +1,2 @@\n+one\n+two\n",
            "diffTruncated": false,
        })
    );
    assert_eq!(project.names("src/deep"), ["new.rs"]);
    // As any program makes a file: readable and writable, as far as the mask allows.
    fs::write(project.path("other"), "").unwrap();
    assert_eq!(project.mode("src/deep/new.rs"), project.mode("other"));
}

#[test]
fn an_existing_file_is_replaced_only_as_it_was_read() {
    let project = Project::new();
    project.write("file", "old\n");
    let session = Session::on(&project);
    let answer = session.write("file", "new\n");
    assert_eq!(answer.code(), "E_NOT_READ");
    session.read("file").ok();
    project.write("file", "another writer's\n");
    let answer = session.write("file", "new\n");
    assert_eq!(answer.code(), "E_STALE");
    assert!(answer.text.contains("Read it again"), "{answer:?}");
    assert_eq!(project.content("file"), "another writer's\n");
    session.read("file").ok();
    let answer = session.write("file", "new\n");
    assert_eq!(answer.ok(), "Replaced file: 4 bytes, +1 -1 lines.\n");
    assert_eq!(answer.details["created"], json!(false));
    let before = format!("{:x}", Sha256::digest("another writer's\n"));
    assert_eq!(answer.details["sha256Before"], json!(before));
    assert_eq!(project.content("file"), "new\n");
}

#[test]
fn a_file_that_was_touched_or_written_again_is_still_known() {
    let project = Project::new();
    project.write("file", "old\n");
    let session = Session::on(&project);
    session.read("file").ok();
    fs::remove_file(project.path("file")).unwrap();
    project.write("file", "old\n");
    session.write("file", "new\n").ok();
    session.write("file", "newer\n").ok();
    fs::rename(project.path("file"), project.path("moved")).unwrap();
    session.write("moved", "newest\n").ok();
    assert_eq!(project.content("moved"), "newest\n");
}

#[test]
fn all_of_a_file_must_have_been_read_to_replace_it() {
    let project = Project::new();
    project.write("file", "\u{feff}1\r\n2\r\n3\r\n4");
    project.write("empty", "");
    let session = Session::on(&project);
    let part = |offset, limit| {
        let input = json!({ "path": "file", "offset": offset, "limit": limit });
        session.call("Read", input).ok().to_owned()
    };
    part(1, 1);
    part(3, 9);
    let answer = session.write("file", "new\n");
    assert_eq!(answer.code(), "E_NOT_READ");
    assert!(answer.text.contains("in part only"), "{answer:?}");
    part(2, 1);
    let answer = session.write("file", "new\n");
    assert!(
        answer
            .ok()
            .ends_with("Before, the file had a byte order mark, and CR LF at the ends of its lines; Edit keeps such things.\n"),
        "{answer:?}"
    );
    // Where nothing is, nothing is lost.
    session.write("empty", "new\n").ok();
}

#[test]
fn what_was_written_in_one_answer_is_read_in_it() {
    let project = Project::new();
    let session = Session::on(&project);
    session.write("file", "one\n").ok();
    assert_eq!(session.read("file").ok(), "     1\tone\n");
    session.edit("file", "one", "two").ok();
    assert_eq!(session.read("file").ok(), "     1\ttwo\n");
}

#[test]
fn permissions_are_kept_except_the_setuid_and_setgid_bits() {
    let project = Project::new();
    let session = Session::on(&project);
    for (mode, kept) in [
        (0o755, 0o755),
        (0o600, 0o600),
        (0o666, 0o666),
        (0o4755, 0o755),
        (0o2755, 0o755),
    ] {
        project.write("script", "#!/bin/sh\n");
        project.set_mode("script", mode);
        session.read("script").ok();
        session.write("script", "#!/bin/bash\n").ok();
        assert_eq!(project.mode("script"), kept, "{mode:o}");
        fs::remove_file(project.path("script")).unwrap();
    }
}

#[test]
fn links_are_followed_and_stay_links() {
    let project = Project::new();
    project.write("real/file", "old\n");
    project.link("link", "chain");
    project.link("chain", "real/file");
    project.link("to-new", "real/sub/../new");
    project.link("real/sub/x", "y");
    let session = Session::on(&project);
    session.read("link").ok();
    session.write("link", "new\n").ok();
    assert_eq!(project.content("real/file"), "new\n");
    assert!(project.path("link").is_symlink() && project.path("chain").is_symlink());
    session.write("to-new", "made\n").ok();
    assert_eq!(project.content("real/new"), "made\n");
    assert!(project.path("to-new").is_symlink());
}

#[test]
fn hard_links_are_reported() {
    let project = Project::new();
    project.write("file", "old\n");
    fs::hard_link(project.path("file"), project.path("twin")).unwrap();
    let session = Session::on(&project);
    session.read("file").ok();
    let answer = session.write("file", "new\n");
    assert!(answer.ok().contains("2 hard links"), "{answer:?}");
    assert_eq!(project.content("twin"), "old\n");
}

#[test]
fn files_that_cannot_be_replaced_stay() {
    let project = Project::new();
    project.write("dir/file", "");
    project.write("read-only", "old\n");
    project.write("binary", b"\0\x01");
    project.write("large", vec![b'x'; 64 * 1024 * 1024 + 1]);
    project.link("loop", "loop");
    project.link("to-dir", "dir");
    project.set_mode("read-only", 0o444);
    let session = Session::on(&project);
    session.read("read-only").ok();
    for (path, code) in [
        ("dir", "E_IS_DIRECTORY"),
        ("to-dir", "E_IS_DIRECTORY"),
        (".", "E_IS_DIRECTORY"),
        ("dir/..", "E_IS_DIRECTORY"),
        ("dir/", "E_INVALID_ARGUMENTS"),
        ("new/", "E_INVALID_ARGUMENTS"),
        ("read-only", "EACCES"),
        ("read-only/x", "E_NOT_A_DIRECTORY"),
        ("binary", "E_BINARY"),
        ("large", "E_WRITE_LIMIT"),
        ("loop", "E_SANDBOX_VIOLATION"),
    ] {
        let answer = session.write(path, "new\n");
        assert_eq!(answer.code(), code, "{path}: {answer:?}");
    }
    let huge = "x".repeat(64 * 1024 * 1024 + 1);
    assert_eq!(session.write("huge", &huge).code(), "E_WRITE_LIMIT");
    assert_eq!(project.content("read-only"), "old\n");
    let names = ["binary", "dir", "large", "loop", "read-only", "to-dir"];
    assert_eq!(project.names(""), names);
}

#[test]
fn what_is_made_gets_the_users_umask_and_what_is_replaced_keeps_its_mode() {
    let project = Project::new();
    project.write("script", "old");
    project.set_mode("script", 0o755);
    let host = project.host().with_umask(Some(Umask::new(0o027)).into());
    let root = Root::open(RootName::Project, &project.path("")).unwrap();
    let session = Session {
        tools: ProjectTools::on(Roots::new(root), host),
        permit: Permit::default(),
    };
    session.write("a/b/new", "x").ok();
    session.read("script").ok();
    session.write("script", "new").ok();
    let modes = ["a", "a/b", "a/b/new", "script"].map(|path| project.mode(path));
    assert_eq!(modes, [0o750, 0o750, 0o640, 0o755]);
}

#[test]
fn a_cancelled_call_changes_nothing() {
    let project = Project::new();
    let cancel = tokio_util::sync::CancellationToken::new();
    cancel.cancel();
    let error = project
        .run(
            crate::tools::write::plan,
            json!({ "path": "file", "content": "x" }),
            cancel,
            crate::pace::TIME_LIMIT,
        )
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "E_CANCELLED: Cancelled before file was changed"
    );
    assert!(project.names("").is_empty());
}
