//! Files that only a person may let a tool change.

use std::fs;

use serde_json::{Value, json};

use super::project::{Answer, Project, Session, call, tool_call};
use crate::write_target::WriteTarget;
use scorel_permission::protected::Protection;

const PATHS: [(&str, Protection); 6] = [
    (".git/hooks/pre-commit", Protection::Git),
    (".git/config", Protection::Git),
    (".scorel/config.toml", Protection::Configuration),
    (".bashrc", Protection::Startup),
    ("daemon/config.toml", Protection::Daemon),
    ("hooks-link/post-merge", Protection::Git),
];

fn project() -> Project {
    let project = Project::new();
    for (path, _) in PATHS.iter().take(5) {
        project.write(path, "old\n");
    }
    project.link("hooks-link", ".git/hooks");
    project.link("config-link", "daemon/config.toml");
    project
}

fn target(session: &Session, name: &str, input: Value) -> Option<WriteTarget> {
    session.0.write_target(&tool_call(name, input)).unwrap()
}

#[test]
fn they_are_refused_with_the_reason() {
    let project = project();
    let session = Session::on(&project);
    let links = [
        ("config-link", Protection::Daemon),
        ("src/../.git/new", Protection::Git),
    ];
    fs::create_dir(project.path("src")).unwrap();
    for (path, protection) in PATHS.into_iter().chain(links) {
        let _ = session.read(path);
        let answers = [
            session.write(path, "new\n"),
            session.edit(path, "old", "new"),
        ];
        for answer in answers {
            let is_new = !project.path(path).exists();
            let missing = is_new && answer.text.starts_with("ENOENT");
            assert!(
                missing || answer.code() == "E_PERMISSION_NEEDED",
                "{answer:?}"
            );
            assert!(
                missing || answer.text.contains(protection.reason()),
                "{answer:?}"
            );
        }
        let target = target(&session, "Write", json!({ "path": path })).unwrap();
        assert_eq!(target.protection(), Some(protection), "{path}");
    }
    for (path, _) in PATHS.iter().take(5) {
        assert_eq!(project.content(path), "old\n");
    }
    assert_eq!(project.names(".git/hooks"), ["pre-commit"]);
}

#[test]
fn the_file_that_a_call_would_change_is_told_before() {
    let project = project();
    project.write("src/file", "");
    project.link("link", "src/file");
    let session = Session::on(&project);
    let real = project.path("").canonicalize().unwrap();
    for (name, path, file, protection) in [
        ("Write", "src/new/file", "src/new/file", None),
        ("Edit", "link", "src/file", None),
        ("Write", "link", "src/file", None),
        (
            "Edit",
            "hooks-link/x",
            ".git/hooks/x",
            Some(Protection::Git),
        ),
        (
            "Write",
            "config-link",
            "daemon/config.toml",
            Some(Protection::Daemon),
        ),
    ] {
        let target = target(&session, name, json!({ "path": path })).unwrap();
        assert_eq!(target.path(), real.join(file));
        assert_eq!(target.location(), format!("@project/{path}"));
        assert_eq!(target.protection(), protection);
    }
    for (name, input) in [
        ("Read", json!({ "path": ".git/config" })),
        ("Grep", json!({ "pattern": "x" })),
        ("Write", json!({})),
        ("Edit", json!({ "path": 7 })),
        ("Wriite", json!({ "path": "x" })),
    ] {
        assert_eq!(target(&session, name, input), None, "{name}");
    }
    let outside = tool_call("Write", json!({ "path": "../x" }));
    let error = session.0.write_target(&outside).unwrap_err();
    assert_eq!(error.code.as_str(), "E_SANDBOX_VIOLATION");
}

#[test]
fn a_permission_is_for_one_call_and_one_file() {
    let project = project();
    project.link("link", ".bashrc");
    let session = Session::on(&project);
    session.read("link").ok();
    let write = |id: &str, content: &str| -> Answer {
        let mut it = tool_call("Write", json!({ "path": "link", "content": content }));
        it.id = id.to_owned();
        call(&session.0, it)
    };
    let target = target(&session, "Write", json!({ "path": "link" })).unwrap();
    session.0.permit("a", target.clone());
    assert_eq!(write("b", "new\n").code(), "E_PERMISSION_NEEDED");
    write("a", "new\n").ok();
    assert_eq!(project.content(".bashrc"), "new\n");
    assert_eq!(write("a", "again\n").code(), "E_PERMISSION_NEEDED");
    // The path leads to another protected file by the time the call runs.
    session.0.permit("a", target);
    fs::remove_file(project.path("link")).unwrap();
    project.link("link", ".git/config");
    session.read("link").ok();
    let answer = write("a", "evil\n");
    assert_eq!(answer.code(), "E_STALE");
    assert!(
        answer.text.contains("another file than when permission"),
        "{answer:?}"
    );
    assert_eq!(project.content(".git/config"), "old\n");
}
