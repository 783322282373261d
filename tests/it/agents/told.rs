//! A runtime as it is told: its own work and no other's, how that ended, and each move once.

use std::fs;
use std::path::Path;

use scorel_proto::{
    AgentTaskId, AgentTaskStatus, ClientId, Hello, HelloParams, MoveRuntime, MoveRuntimeParams,
    ProtocolRange, QuotaPolicy, SpawnRuntime, SpawnRuntimeParams,
};
use serde_json::{Value, json};

use super::scene::{AgentScene, task};
use crate::under_test::{connect, git, has_git, has_sandbox};

#[tokio::test]
async fn a_summary_is_of_its_own_task_and_tells_the_end() {
    let scene = AgentScene::new().await;
    scene.parts.answer(
        "one",
        scorel_testkit::ScriptedChat::default()
            .text("first result")
            .finish("stop"),
    );
    let first = scene.spawn("developer", "one").await.runtime_id;
    scene.until_ended(1).await;
    let summary = scene.runtime(first).await.runtime.summary;
    assert_eq!(summary.as_deref(), Some("first result"));

    let params = SpawnRuntimeParams {
        continued: Some(first),
        ..task(scene.lead, "developer", "two")
    };
    let second = scene.client.call::<SpawnRuntime>(&params).await.unwrap();
    scene.until_ended(2).await;
    // The session of both is known by its first task.
    let runtime = scene.runtime(second.runtime_id).await.runtime;
    assert_eq!(runtime.summary.as_deref(), Some("one is done"));
    let id = second.runtime_id.to_string();
    let own: Vec<Value> = scene
        .log()
        .into_iter()
        .filter(|it| it["runtimeId"] == id.as_str())
        .collect();
    assert!(own.len() > 2);
    assert!(
        !own.iter().any(|it| it.to_string().contains("first result")),
        "{own:?}"
    );
}

#[tokio::test]
async fn a_failure_is_told_with_what_helps() {
    let scene = AgentScene::with("[agents.developer]\nrunner = \"kimi-cli\"\n[runners.kimi-cli]\ncommand = [\"no-such-program\"]\n[agents.other]\nrunner = \"codexx\"\n").await;
    let absent = scene.spawn("developer", "one").await.runtime_id;
    let unknown = scene.spawn("other", "two").await.runtime_id;
    scene.until_ended(2).await;
    for (id, expected) in [
        (
            absent,
            "no-such-program is not installed; install it with `npm install -g @moonshot-ai/kimi-code`",
        ),
        (
            unknown,
            "no runner `codexx` is configured; did you mean `codex`?",
        ),
    ] {
        let found = scene.runtime(id).await;
        assert_eq!(found.runtime.status, AgentTaskStatus::Failed);
        let expected = format!("its last turn failed: {expected}");
        assert_eq!(found.result.unwrap().reason, expected);
        assert_eq!(found.runtime.summary, Some(expected));
    }
}

/// A lost reply is asked for again after another client's move.
#[tokio::test]
async fn a_move_to_the_place_where_it_is_happens_once() {
    let scene = AgentScene::new().await;
    scene
        .quota(
            "developer",
            QuotaPolicy {
                project: Some(0),
                ..QuotaPolicy::default()
            },
        )
        .await;
    let mut ids = Vec::new();
    for name in ["p0", "p1", "p2"] {
        ids.push(scene.spawn("developer", name).await.runtime_id);
    }
    let client = connect(&scene.daemon.socket()).await;
    let hello = HelloParams {
        client_id: Some(ClientId::generate()),
        name: None,
        protocol: ProtocolRange::SUPPORTED,
    };
    client.call::<Hello>(&hello).await.unwrap();
    let move_to = |runtime_id: AgentTaskId, command: &str| MoveRuntimeParams {
        runtime_id,
        position: 1,
        command_id: Some(command.parse().unwrap()),
    };
    let first = move_to(ids[0], "m1");
    let moved = client.call::<MoveRuntime>(&first).await.unwrap();
    client
        .call::<MoveRuntime>(&move_to(ids[2], "m2"))
        .await
        .unwrap();
    assert_eq!(client.call::<MoveRuntime>(&first).await.unwrap(), moved);
    let places: Vec<_> = scene
        .runtimes()
        .await
        .iter()
        .map(|it| it.queue_position)
        .collect();
    assert_eq!(places, [Some(2), Some(3), Some(1)]);
}

#[tokio::test]
async fn work_that_is_not_committed_is_told() {
    if !has_git() || !has_sandbox() {
        return;
    }
    let scene = AgentScene::with("[agents.developer]\nworkspace = \"worktree\"\n").await;
    let project = scene.daemon.project();
    git(&project, "init -q -b main");
    fs::write(project.join("file"), "text").unwrap();
    git(&project, "add -A");
    git(&project, "commit -qm first");
    let commit = "git add new && git -c user.name=n -c user.email=e commit -qm second";
    let nothing = "its branch has no commit";
    let changed = "its worktree has changes that are not committed";
    let mut ended = 0;
    for (name, script, note) in [
        ("a", "true".to_owned(), nothing.to_owned()),
        (
            "b",
            "echo x > new".to_owned(),
            format!("{nothing}, and {changed}"),
        ),
        (
            "c",
            format!("echo x > new; {commit}; echo y > new"),
            changed.to_owned(),
        ),
        ("d", format!("echo x > new; {commit}"), String::new()),
    ] {
        scene
            .parts
            .call(name, "Bash", &json!({ "command": script }));
        let id = scene.spawn("developer", name).await.runtime_id;
        ended += 1;
        scene.until_ended(ended).await;
        let found = scene.runtime(id).await;
        let (reason, summary) = match note.as_str() {
            "" => ("completed".to_owned(), format!("{name} is done")),
            note => (
                format!("completed; {note}"),
                format!("{note}: {name} is done"),
            ),
        };
        assert_eq!(found.result.unwrap().reason, reason, "{name}");
        assert_eq!(found.runtime.summary, Some(summary), "{name}");
    }
    let listed = super::worktrees::worktrees(&scene).await;
    let states: Vec<_> = listed.iter().map(|it| (it.commits, it.dirty)).collect();
    let (clean, dirty) = (Some(false), Some(true));
    let expected = [
        (Some(0), clean),
        (Some(0), dirty),
        (Some(1), dirty),
        (Some(1), clean),
    ];
    assert_eq!(states, expected);
    assert!(listed.iter().all(|it| Path::new(&it.path).is_dir()));
}

/// A place that a commit changes is beside git's configuration: what is written there would have git run it,
/// for the user and for codex itself.
#[tokio::test]
async fn codex_gets_no_place_of_the_repository_of_a_worktree() {
    if !has_git() {
        return;
    }
    let noted = tempfile::tempdir().unwrap();
    let file = noted.path().join("arguments");
    let script = format!(
        "[ \"$1\" = --version ] && echo 99.0.0 && exit; printf '%s\\n' \"$@\" >{}; exit 1",
        file.display()
    );
    let command = json!(["/bin/bash", "-c", script, "bash"]);
    let runner = format!("[runners.noting]\ntype = \"codex\"\ncommand = {command}\n");
    let agent = "[agents.developer]\nrunner = \"noting\"\nworkspace = \"worktree\"\n";
    let scene = AgentScene::with(&format!("{agent}{runner}")).await;
    let project = scene.daemon.project().canonicalize().unwrap();
    git(&project, "init -q -b main");
    git(
        &project,
        "-c user.name=n -c user.email=e commit -q --allow-empty -m first",
    );
    scene.spawn("developer", "one").await;
    scene.until_ended(1).await;
    let arguments = fs::read_to_string(file).unwrap();
    assert_eq!(arguments, "app-server\n");
}
