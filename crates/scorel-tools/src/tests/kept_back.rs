//! Files that permission rules keep from the model.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;

use super::project::{Project, Session};
use scorel_engine::{Permit, ReadFilter};

/// Keeps back a directory with everything below it.
#[derive(Debug)]
struct AllBut(PathBuf);

impl ReadFilter for AllBut {
    fn may_read(&self, path: &Path) -> bool {
        !path.starts_with(&self.0)
    }
}

fn all_but(directory: PathBuf) -> Permit {
    Permit {
        reads: Some(Arc::new(AllBut(directory))),
        ..Permit::default()
    }
}

fn project() -> (Project, Session) {
    let project = Project::new();
    project.write("open/text", "needle\n");
    project.write("secrets/key", "needle\n");
    project.write("secrets/deep/key", "needle\n");
    symlink("secrets", project.path("link")).unwrap();
    symlink("../secrets/key", project.path("open/link")).unwrap();
    let mut session = Session::on(&project);
    let secrets = project.path("secrets").canonicalize().unwrap();
    session.permit = all_but(secrets);
    (project, session)
}

#[test]
fn a_search_reports_only_the_number_of_files_that_it_leaves_out() {
    let (_project, session) = project();
    for (mode, found) in [
        ("content", "open/text:1:needle\n"),
        ("files", "open/text\n"),
        ("count", "open/text:1\n"),
    ] {
        let answer = session.call("Grep", json!({ "pattern": "needle", "mode": mode }));
        let note = "[2 files left out by permission rules.]\n";
        assert_eq!(answer.ok(), format!("{found}{note}"));
        assert_eq!(answer.details["keptBack"], json!(2));
        assert_eq!(answer.details["matchingFiles"], json!(1));
        assert_eq!(answer.details["searchedFiles"], json!(1));
    }
    let answer = session.call("Glob", json!({ "pattern": "**/key" }));
    let text = "[Nothing in the project matches. 2 files left out by permission rules.]\n";
    assert_eq!(answer.ok(), text);
    assert_eq!(answer.details["total"], json!(0));
    let answer = session.call("Glob", json!({ "pattern": "**" }));
    assert_eq!(
        answer.ok(),
        "link/\nopen/\nopen/link\nopen/text\n[4 files left out by permission rules.]\n"
    );
}

#[test]
fn no_link_leads_to_a_file_that_is_kept_back() {
    let (_project, session) = project();
    for path in [
        "secrets/key",
        "link/key",
        "open/link",
        "open/../link/deep/key",
    ] {
        assert_eq!(session.read(path).code(), "E_PERMISSION_NEEDED", "{path}");
        let answer = session.call("Grep", json!({ "pattern": "needle", "path": path }));
        assert_eq!(answer.code(), "E_PERMISSION_NEEDED", "{path}");
    }
    for path in ["link", "secrets", "open/../link"] {
        let answer = session.call("Grep", json!({ "pattern": "needle", "path": path }));
        assert!(!answer.ok().contains("key"), "{answer:?}");
        let answer = session.call("Glob", json!({ "pattern": "**", "path": path }));
        assert!(!answer.ok().contains("key"), "{answer:?}");
    }
    for pattern in ["secrets/*", "link/*", "link/deep/k*"] {
        let answer = session.call("Glob", json!({ "pattern": pattern }));
        assert!(!answer.ok().contains("key"), "{answer:?}");
    }
    assert_eq!(session.read("open/text").ok(), "     1\tneedle\n");
}

#[test]
fn a_search_can_begin_at_a_link() {
    let (_project, mut session) = project();
    session.permit = Permit::default();
    let answer = session.call("Glob", json!({ "pattern": "*", "path": "link" }));
    assert_eq!(answer.ok(), "link/deep/\nlink/key\n");
    let answer = session.call("Grep", json!({ "pattern": "needle", "path": "link/deep" }));
    assert_eq!(answer.ok(), "link/deep/key:1:needle\n");
}

#[test]
fn a_permit_is_for_one_call() {
    let (project, session) = project();
    let glob = json!({ "pattern": "**/key" });
    let deep = project.path("secrets/deep").canonicalize().unwrap();
    let answer = session.call_with("Glob", glob.clone(), all_but(deep));
    let found = "secrets/key\n[1 file left out by permission rules.]\n";
    assert_eq!(answer.ok(), found);
    let answer = session.call("Glob", glob);
    assert!(answer.ok().starts_with("[Nothing"), "{answer:?}");
    assert_eq!(session.read("secrets/key").code(), "E_PERMISSION_NEEDED");
    let read = json!({ "path": "secrets/key" });
    let answer = session.call_with("Read", read, Permit::default());
    assert_eq!(answer.ok(), "     1\tneedle\n");
}
