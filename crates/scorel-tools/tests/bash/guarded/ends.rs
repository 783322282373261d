//! Commands in the background, and commands that something else ends.

use std::fs;

use libtest_mimic::Trial;
use serde_json::json;

use super::{git, is_there, read, repository, restored, untouched};
use crate::session::{Session, canary, supervisor_of};
use crate::trial;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("guarded::a_background_command_is_covered", background),
        trial(
            "guarded::with_mounts_changes_of_other_processes_stay",
            others,
        ),
        trial("guarded::too_much_to_keep_is_reported", too_much),
        trial("guarded::a_killed_supervisor_changes_nothing", || {
            supervisor_killed(false)
        }),
        trial(
            "guarded::what_a_killed_supervisor_put_back_is_reported",
            || supervisor_killed(true),
        ),
        trial("guarded::a_timed_out_command_is_covered", timed_out),
    ]
}

async fn background() {
    let session = repository();
    let canary = canary();
    let command = format!("echo x > .git/hooks/pre-commit; echo ready; sleep {canary}");
    let input = json!({ "command": command, "background": true });
    let id = session.call("Bash", input).await.details["id"].clone();
    while !session
        .call("BashOutput", json!({ "id": id, "sinceBytes": 0 }))
        .await
        .text
        .contains("ready")
    {
        tokio::task::yield_now().await;
    }
    let answer = session.call("BashStop", json!({ "id": id })).await;
    restored(&answer, &[".git/hooks/pre-commit"]);
    assert!(!is_there(&session, ".git/hooks/pre-commit"));
    let answer = session.call("BashOutput", json!({ "id": id })).await;
    restored(&answer, &[".git/hooks/pre-commit"]);
}

async fn others() {
    let session = Session::new();
    git(&session.path("project"), "init -q .");
    let command = "echo ready; until [ -e go ]; do sleep 0.01; done";
    let input = json!({ "command": command, "background": true });
    let id = session.call("Bash", input).await.details["id"].clone();
    git(&session.path("project"), "config user.name person");
    fs::write(session.path("project/go"), "").unwrap();
    loop {
        let answer = session.call("BashOutput", json!({ "id": id })).await;
        if answer.details["running"] == false {
            untouched(&answer);
            break;
        }
        tokio::task::yield_now().await;
    }
    assert!(read(&session, ".git/config").contains("person"));
}

async fn too_much() {
    let session = repository();
    let large = vec![b'x'; 5 << 20];
    fs::write(session.path("project/.git/hooks/large"), large).unwrap();
    let answer = session.bash("echo x > .git/config").await;
    assert_eq!(answer.details["unprotected"], true, "{answer:?}");
    // The nearest are still put back.
    let expected = [".git/config (core.repositoryformatversion)"];
    assert_eq!(answer.details["restored"], json!(expected));
}

async fn timed_out() {
    let session = repository();
    let command = format!("echo x > .git/hooks/pre-commit; sleep {}", canary());
    // Within the first limits a busy machine may not get as far as the change.
    for limit in [500, 5_000, 50_000] {
        let input = json!({ "command": command, "timeoutMs": limit });
        let answer = session.call("Bash", input).await;
        assert_eq!(answer.code(), "E_TIMED_OUT");
        if !answer.details["restored"].is_null() {
            restored(&answer, &[".git/hooks/pre-commit"]);
            return;
        }
    }
    panic!("the command never came to its change");
}

/// `is_restored`: killed after it has put back what the command changed, and not as soon as that is done.
async fn supervisor_killed(is_restored: bool) {
    let session = repository();
    let canary = canary();
    let command = format!("echo x > .git/hooks/pre-commit; echo ready; sleep {canary}");
    let input = json!({ "command": command, "background": true });
    let id = session.call("Bash", input).await.details["id"].clone();
    session.until_ready(&id).await;
    let all = json!({ "id": id, "sinceBytes": 0 });
    while is_restored && session.call("BashOutput", all.clone()).await.details["restored"].is_null()
    {
        tokio::task::yield_now().await;
    }
    let supervisor = supervisor_of(&canary);
    rustix::process::kill_process(supervisor, rustix::process::Signal::KILL).unwrap();
    let answer = loop {
        let answer = session.call("BashOutput", all.clone()).await;
        if answer.details["running"] == false {
            break answer;
        }
        tokio::task::yield_now().await;
    };
    assert!(
        answer.text.contains("its supervisor was killed"),
        "{answer:?}"
    );
    restored(&answer, &[".git/hooks/pre-commit"]);
}
