//! Commands that run while files are put back.

use std::fs;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use serde_json::json;

use super::Project;
use crate::session::{Session, ToolAnswer, canary};
use crate::trial;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "obeyed::a_background_command_keeps_no_protected_file",
            background,
        ),
        trial(
            "obeyed::what_another_command_has_changed_is_not_put_back",
            overlapping,
        ),
        trial(
            "obeyed::what_a_person_changes_behind_a_mount_stays_from_the_first_command_on",
            behind_mounts,
        ),
    ]
}

async fn background() {
    for mounts in [true, false] {
        let project = Project::with_mounts(mounts);
        let canary = canary();
        let script = format!(
            "mkdir .cargo evil; echo x > evil/tasks.json; echo x > .cargo/config.toml; echo x > .envrc; ln -s evil .vscode
             mkdir -p .claude; echo x > .claude/settings.json; echo x > .exrc; echo ready; sleep {canary}"
        );
        let input = json!({ "command": script, "background": true });
        let id = project.session.call("Bash", input).await.details["id"].clone();
        project.session.until_ready(&id).await;
        let since = Instant::now();
        let names = [
            ".cargo/config.toml",
            ".envrc",
            ".vscode/tasks.json",
            ".claude/settings.json",
            ".exrc",
        ];
        // The limit is half a second; the machine may be busy.
        while names.iter().any(|name| project.path(name).exists()) {
            assert!(since.elapsed() < Duration::from_secs(120));
            tokio::task::yield_now().await;
        }
        println!("put away after {:?}", since.elapsed());
        let answer = loop {
            let answer = project
                .session
                .call("BashOutput", json!({ "id": id, "sinceBytes": 0 }))
                .await;
            if answer.details["restored"]
                .as_array()
                .is_some_and(|it| it.len() == 5)
            {
                break answer;
            }
            tokio::task::yield_now().await;
        };
        assert_eq!(answer.details["running"], true, "{answer:?}");
        assert!(
            answer.text.contains("protected files were changed"),
            "{answer:?}"
        );
        project.session.call("BashStop", json!({ "id": id })).await;
        let answer = ended(&project.session, &id).await;
        assert_eq!(
            answer.details["restored"].as_array().unwrap().len(),
            5,
            "{answer:?}"
        );
    }
}

/// Commands that begin at once, each before its mounts are there.
async fn behind_mounts() {
    let projects: Vec<_> = (0..8).map(|_| Project::with_mounts(true)).collect();
    let runs = projects.iter().map(|project| async {
        fs::write(project.path(".envrc"), "a").unwrap();
        let script = format!(
            "echo ready; until [ -e go ]; do sleep 0.01; done; echo x > .exrc; sleep {}",
            canary()
        );
        let input = json!({ "command": script, "background": true });
        let id = project.session.call("Bash", input).await.details["id"].clone();
        project.session.until_ready(&id).await;
        fs::write(project.path(".envrc"), "b").unwrap();
        fs::write(project.path("go"), "").unwrap();
        let all = json!({ "id": id, "sinceBytes": 0 });
        // Put away in a look at all places, which is after the person's change.
        let restored = loop {
            let answer = project.session.call("BashOutput", all.clone()).await;
            if let Some(restored) = answer.details["restored"].as_array() {
                break restored.clone();
            }
            tokio::task::yield_now().await;
        };
        project.session.call("BashStop", json!({ "id": id })).await;
        let answer = ended(&project.session, &id).await;
        assert_eq!(restored, [".exrc"], "{answer:?}");
        assert_eq!(answer.details["restored"], json!([".exrc"]), "{answer:?}");
        assert_eq!(fs::read_to_string(project.path(".envrc")).unwrap(), "b");
    });
    futures_util::future::join_all(runs).await;
}

async fn overlapping() {
    for mounts in [true, false] {
        let project = Project::with_mounts(mounts);
        project.run("git init -q sub");
        let before = fs::read_to_string(project.path("sub/.git/config")).unwrap();
        let first = format!(
            "mkdir evil; echo x > evil/config.toml; printf '[core]\\nfsmonitor = x\\n' >> sub/.git/config; git init -q new; \
             git -C new config core.fsmonitor x; echo ready; until [ -e go ]; do ln -sfn evil .cargo; done; sleep {}",
            canary()
        );
        let input = json!({ "command": first, "background": true });
        let first = project.session.call("Bash", input).await.details["id"].clone();
        project.session.until_ready(&first).await;
        let second = "echo ready; until [ -e end ]; do sleep 0.01; done";
        let input = json!({ "command": second, "background": true });
        let second = project.session.call("Bash", input).await.details["id"].clone();
        project.session.until_ready(&second).await;
        fs::write(project.path("go"), "").unwrap();
        project
            .session
            .call("BashStop", json!({ "id": first }))
            .await;
        ended(&project.session, &first).await;
        fs::write(project.path("end"), "").unwrap();
        let answer = ended(&project.session, &second).await;
        assert!(!project.path(".cargo/config.toml").exists(), "{answer:?}");
        let config = |name: &str| fs::read_to_string(project.path(name)).unwrap();
        assert_eq!(config("sub/.git/config"), before, "{answer:?}");
        assert!(
            !config("new/.git/config").contains("fsmonitor"),
            "{answer:?}"
        );
    }
}

pub(crate) async fn ended(session: &Session, id: &serde_json::Value) -> ToolAnswer {
    loop {
        let answer = session
            .call("BashOutput", json!({ "id": id, "sinceBytes": 0 }))
            .await;
        if answer.details["running"] == false {
            return answer;
        }
        tokio::task::yield_now().await;
    }
}
