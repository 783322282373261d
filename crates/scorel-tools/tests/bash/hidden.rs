//! Files that rules hide from commands.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::Trial;
use scorel_engine::{CommandAccess, HiddenExtent, HiddenFiles, HiddenRoot};
use serde_json::json;

use crate::session::Session;
use crate::trial;
use crate::worktrees::git;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("hidden::commands_do_not_read_what_rules_deny", commands),
        trial("hidden::readonly_commands_neither", readonly),
        trial("hidden::without_mounts_the_result_says_so", without_mounts),
        trial("hidden::without_mounts_other_places_are_hidden", elsewhere),
        trial("hidden::a_denied_project_runs_no_command", project),
        trial(
            "hidden::more_files_than_can_be_hidden_are_reported",
            too_many,
        ),
    ]
}

const SECRET: &str = "not to be seen";

/// Hides a tree and files that end in `.pem` in one directory.
#[derive(Debug)]
struct Denied(PathBuf);

impl HiddenFiles for Denied {
    fn roots(&self) -> Vec<HiddenRoot> {
        vec![HiddenRoot {
            path: self.0.clone(),
            depth: None,
        }]
    }

    fn extent(&self, path: &Path) -> Option<HiddenExtent> {
        let is_pem = path.starts_with(&self.0) && path.extension().is_some_and(|it| it == "pem");
        if path.ends_with("secrets") {
            Some(HiddenExtent::Tree)
        } else {
            is_pem.then_some(HiddenExtent::Entry)
        }
    }
}

/// A session that hides `secrets` and `*.pem` below `hidden`.
fn denying(mut session: Session, hidden: &str) -> Session {
    for name in ["project/secrets/key", "project/a/b.pem", "other/c.pem"] {
        let path = session.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, SECRET).unwrap();
    }
    let root = session.path(hidden).canonicalize().unwrap();
    session.hidden = Some(Arc::new(Denied(root)));
    session
}

const READING: &str = "cat secrets/key a/b.pem ../other/c.pem; grep -r seen . ../other; \
                       git grep seen; perl -e 'open F, \"a/b.pem\"; print <F>'; true";

async fn commands() {
    let session = denying(Session::new(), "");
    let project = session.path("project");
    git(&project, "init -q");
    git(&project, "add -A");
    git(&project, "commit -qm m");
    let answer = session.bash(READING).await;
    assert!(
        !answer.is_error && !answer.text.contains(SECRET),
        "{answer:?}"
    );
    assert!(answer.details.get("unhidden").is_none(), "{answer:?}");
    let answer = session.bash("git show HEAD:a/b.pem; cat file").await;
    assert!(
        answer.text.starts_with(SECRET),
        "history still has it: {answer:?}"
    );
    let answer = session
        .call("Bash", json!({ "command": "cat key", "cwd": "secrets" }))
        .await;
    assert!(
        answer.is_error && answer.text.contains("hidden from commands"),
        "{answer:?}"
    );
    let answer = session
        .call("Bash", json!({ "command": READING, "background": true }))
        .await;
    assert!(answer.details.get("unhidden").is_none(), "{answer:?}");
    let (output, _) = crate::background::read_all(&session, "bash_1").await;
    assert!(!output.contains(SECRET), "{output}");
    let answer = session
        .call_granted(
            "Bash",
            json!({ "command": "cat a/b.pem" }),
            CommandAccess::Full,
        )
        .await;
    assert_eq!(answer.text.lines().next(), Some(SECRET), "{answer:?}");
}

async fn readonly() {
    let session = denying(Session::with(CommandAccess::Readonly), "");
    let answer = session.bash(READING).await;
    assert!(!answer.text.contains(SECRET), "{answer:?}");
}

async fn without_mounts() {
    let session = denying(Session::without_mounts(), "");
    let answer = session.bash("cat a/b.pem; echo; cat ../other/c.pem").await;
    assert_eq!(answer.details["unhidden"], "noMounts", "{answer:?}");
    assert!(
        answer
            .text
            .contains("not all files that rules deny to read were hidden"),
        "{answer:?}"
    );
    assert_eq!(answer.text.matches(SECRET).count(), 1, "{answer:?}");
    let answer = session
        .call("Bash", json!({ "command": "true", "background": true }))
        .await;
    assert_eq!(answer.details["unhidden"], "noMounts", "{answer:?}");
    assert!(answer.text.contains("not all files"), "{answer:?}");
}

async fn elsewhere() {
    let mut session = Session::without_mounts();
    session = denying(session, "project");
    let other = session.path("other").canonicalize().unwrap();
    session.hidden = Some(Arc::new(Denied(other)));
    let answer = session.bash("cat ../other/c.pem; true").await;
    assert!(answer.details.get("unhidden").is_none(), "{answer:?}");
    assert!(!answer.text.contains(SECRET), "{answer:?}");
}

async fn project() {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir_all(directory.path().join("secrets/project")).unwrap();
    fs::create_dir(directory.path().join("home")).unwrap();
    let access = CommandAccess::Workspace { network: false };
    let mut session = Session::at(directory, "secrets/project", access, |_| {});
    let root = session.path("").canonicalize().unwrap();
    session.hidden = Some(Arc::new(Denied(root)));
    let answer = session.bash("echo ran").await;
    assert_eq!(answer.code(), "E_PERMISSION_NEEDED", "{answer:?}");
    assert!(!answer.text.contains("ran\n"), "{answer:?}");
}

async fn too_many() {
    let session = denying(Session::new(), "");
    for n in 0..1_001 {
        fs::write(session.path(&format!("project/{n}.pem")), SECRET).unwrap();
    }
    let answer = session.bash("echo ran").await;
    assert!(answer.text.starts_with("ran\n"), "{answer:?}");
    assert_eq!(answer.details["unhidden"], "places", "{answer:?}");
}
