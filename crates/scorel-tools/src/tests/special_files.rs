//! Things that are not files, and files that are not small.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use super::project::{Project, RESOLVERS};

/// A bound for "at once" that a loaded machine keeps.
const AT_ONCE: Duration = Duration::from_secs(60);

fn pipe(project: &Project, path: &str) {
    let path = project.path(path);
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

#[test]
fn pipes_sockets_and_directories_are_refused_at_once() {
    for resolver in RESOLVERS {
        let project = Project::new().with_resolver(*resolver);
        pipe(&project, "pipe");
        let _socket = UnixListener::bind(project.path("socket")).unwrap();
        fs::create_dir(project.path("dir")).unwrap();
        let started = Instant::now();
        for (path, code) in [
            ("pipe", "E_NOT_A_FILE"),
            ("socket", "E_NOT_A_FILE"),
            ("dir", "E_IS_DIRECTORY"),
            (".", "E_IS_DIRECTORY"),
        ] {
            let answer = project.call("Read", json!({ "path": path }));
            assert_eq!(answer.code(), code, "{path} with {resolver:?}");
        }
        for path in ["pipe", "socket"] {
            let answer = project.call("Grep", json!({ "path": path, "pattern": "x" }));
            assert_eq!(answer.code(), "E_NOT_A_FILE", "{path}");
            let answer = project.call("Glob", json!({ "path": path, "pattern": "x" }));
            assert_eq!(answer.code(), "E_NOT_A_DIRECTORY", "{path}");
        }
        assert!(started.elapsed() < AT_ONCE);
    }
}

#[test]
fn walks_pass_by_pipes_and_sockets() {
    let project = Project::new();
    pipe(&project, "pipe");
    let _socket = UnixListener::bind(project.path("socket")).unwrap();
    project.write("text", "needle\n");
    let answer = project.call("Grep", json!({ "pattern": "needle" }));
    assert_eq!(answer.ok(), "text:1:needle\n");
    let answer = project.call("Glob", json!({ "pattern": "*" }));
    assert_eq!(answer.ok(), "pipe\nsocket\ntext\n");
}

#[test]
fn a_pipe_in_place_of_an_ignore_file_does_not_block_a_walk() {
    let project = Project::new();
    project.write("a/text", "needle\n");
    project.write("b/text", "needle\n");
    pipe(&project, "a/.gitignore");
    let answer = project.call("Grep", json!({ "pattern": "needle" }));
    assert!(
        answer
            .ok()
            .starts_with("b/text:1:needle\n[1 files or directories could not be")
    );
    assert_eq!(answer.details["exact"], json!(false));
    pipe(&project, ".ignore");
    for (tool, input) in [
        ("Grep", json!({ "pattern": "needle" })),
        ("Glob", json!({ "pattern": "**" })),
    ] {
        assert_eq!(project.call(tool, input).code(), "E_NOT_A_FILE");
    }
}

#[test]
fn a_sparse_file_of_one_tebibyte_is_bounded() {
    let project = Project::new();
    let file = File::create(project.path("holes")).unwrap();
    if file.set_len(1 << 40).is_err() {
        println!("skipped: this file system has no files of 1 TiB");
        return;
    }
    let started = Instant::now();
    let answer = project.call("Read", json!({ "path": "holes" }));
    assert_eq!(answer.code(), "E_BINARY");
    let answer = project.call("Read", json!({ "path": "holes", "offset": 1u64 << 40 }));
    assert_eq!(answer.code(), "E_BINARY");
    let answer = project.call("Grep", json!({ "pattern": "x", "path": "holes" }));
    assert!(
        answer.ok().contains("1 binary files were skipped"),
        "{answer:?}"
    );
    assert!(started.elapsed() < AT_ONCE);
}

#[test]
fn the_start_of_a_huge_file_is_shown_without_reading_the_rest() {
    let project = Project::new();
    project.write("log", "some text\n".repeat(100_000));
    let file = File::options().write(true).open(project.path("log"));
    file.unwrap().set_len(1 << 33).unwrap();
    let answer = project.call("Read", json!({ "path": "log", "limit": 1 }));
    assert_eq!(
        answer.ok(),
        "     1\tsome text\n[Lines 1 to 1 of a file of 8589934592 bytes. Continue with offset 2.]\n"
    );
    assert_eq!(answer.details["sha256"], json!(null));
    assert_eq!(answer.details["totalLines"], json!(null));
}

#[test]
fn unreadable_files_and_directories_are_reported() {
    let project = Project::new();
    project.write("open/text", "needle\n");
    project.write("shut/text", "needle\n");
    project.write("file", "needle\n");
    let forbid = |path| {
        fs::set_permissions(project.path(path), fs::Permissions::from_mode(0o000)).unwrap();
    };
    forbid("file");
    forbid("shut");
    if File::open(project.path("file")).is_ok() {
        println!("skipped: this user may read everything");
        return;
    }
    assert_eq!(
        project.call("Read", json!({ "path": "file" })).code(),
        "EACCES"
    );
    let answer = project.call("Grep", json!({ "pattern": "needle" }));
    assert!(
        answer
            .ok()
            .contains("2 files or directories could not be searched")
    );
    assert_eq!(answer.details["exact"], json!(false));
    let answer = project.call("Glob", json!({ "pattern": "**/text" }));
    assert!(answer.ok().contains("1 places could not be read"));
    fs::set_permissions(project.path("shut"), fs::Permissions::from_mode(0o700)).unwrap();
}
