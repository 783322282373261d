//! Agents that work in git worktrees of their own.

use std::fs::{self, File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use scorel_client::ClientError;
use scorel_proto::{
    AgentTaskId, AgentTaskStatus, ErrorCode, ListWorktrees, ListWorktreesParams, RemoveWorktree,
    RemoveWorktreeParams, RemoveWorktreeResult, WorktreeInfo,
};
use serde_json::json;

use super::scene::AgentScene;
use crate::under_test::{Watch, git, has_git, has_sandbox, send};

const CONFIG: &str = "\
[agents.developer]
displayName = \"Developer\"
workspace = \"worktree\"
";

/// A scene whose project has one commit with `file`, a filter for it and a hook.
async fn scene() -> AgentScene {
    scene_with("").await
}

/// With more tables in the configuration.
async fn scene_with(tables: &str) -> AgentScene {
    let scene = AgentScene::with(&format!("{CONFIG}\n{tables}")).await;
    let project = scene.daemon.project();
    let run = |name: &str, text: String| {
        let path = project.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    };
    git(&project, "init -q -b main");
    fs::write(project.join("file"), "text").unwrap();
    // In a file of its own: a command that names a file outside is asked about.
    let probe = "! echo x > ../x && ! cat ../../config.toml\n";
    fs::write(project.join("probe.sh"), probe).unwrap();
    fs::write(project.join(".gitattributes"), "file filter=upper\n").unwrap();
    git(&project, "add -A");
    git(&project, "commit -qm first");
    let proof = project.join("proof");
    let marking = |rest: &str| format!("#!/bin/sh\ntouch {}\n{rest}", proof.display());
    run(".git/hooks/post-checkout", marking(""));
    run(".git/smudge", marking("tr a-z A-Z\n"));
    run(".git/clean", "#!/bin/sh\ntr A-Z a-z\n".to_owned());
    for (key, program) in [("smudge", "smudge"), ("clean", "clean")] {
        let program = project.join(".git").join(program);
        let setting = format!("config filter.upper.{key} {}", program.display());
        git(&project, &setting);
    }
    scene
}

pub(super) async fn worktrees(scene: &AgentScene) -> Vec<WorktreeInfo> {
    let params = ListWorktreesParams {
        project_id: Some(scene.project),
    };
    let listed = scene.client.call::<ListWorktrees>(&params).await.unwrap();
    listed.worktrees
}

async fn remove(
    scene: &AgentScene,
    runtime_id: AgentTaskId,
    force: bool,
) -> Result<RemoveWorktreeResult, scorel_proto::RpcError> {
    let params = RemoveWorktreeParams {
        runtime_id: Some(runtime_id),
        run_id: None,
        force: Some(force),
        command_id: None,
    };
    match scene.client.call::<RemoveWorktree>(&params).await {
        Ok(removed) => Ok(removed),
        Err(ClientError::Rpc(error)) => Err(error),
        Err(other) => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_agent_commits_in_a_worktree_that_stays_until_it_is_removed() {
    if !has_git() || !has_sandbox() {
        return;
    }
    let scene = scene().await;
    let script = "set -e; cat file; pwd; echo x > new; git add new
                  git -c user.name=n -c user.email=e commit -qm second; git status --short
                  sh ./probe.sh";
    scene
        .parts
        .call("one", "Bash", &json!({ "command": script }));
    let held = scene.parts.hold("one");
    let id = scene.spawn("developer", "one").await.runtime_id;
    held.reached().await;
    let refused = remove(&scene, id, true).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::AgentTaskBusy, "{refused:?}");
    held.open();
    scene.until_ended(1).await;
    let runtime = scene.runtime(id).await.runtime;
    let child = runtime.session_id.unwrap();
    let log = scene.daemon.log(&child.to_string());
    let results = log.iter().filter(|it| it["type"] == "tool_result");
    let said: Vec<String> = results.map(ToString::to_string).collect();
    assert_eq!(runtime.status, AgentTaskStatus::Completed, "{log:?}");

    let found = worktrees(&scene).await;
    let [worktree] = found.as_slice() else {
        panic!("{found:?}");
    };
    let (path, branch) = (Path::new(&worktree.path), &worktree.branch);
    assert_eq!(worktree.session_id, Some(child));
    assert_eq!(
        (worktree.runtime_id, worktree.dirty),
        (Some(id), Some(false))
    );
    assert!(branch.starts_with("scorel/one-"), "{branch}");
    let project = scene.daemon.project();
    assert_eq!(
        git(&project, &format!("show {branch}:new")),
        "x",
        "{said:?}"
    );
    assert_eq!(fs::read_to_string(path.join("file")).unwrap(), "TEXT");
    assert!(!project.join("proof").exists() && !project.join("new").exists());

    fs::write(path.join("file"), "more").unwrap();
    let refused = remove(&scene, id, false).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Conflict, "{refused:?}");
    assert_eq!(refused.details["kind"], "dirty");
    assert_eq!(remove(&scene, id, true).await.unwrap().branch, *branch);
    assert!(!path.exists() && worktrees(&scene).await.is_empty());
    git(&project, &format!("rev-parse --verify {branch}"));
    let refused = remove(&scene, id, true).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::AgentTaskNotFound, "{refused:?}");

    let mut watch = Watch::from_start(&scene.client, child).await;
    watch.until("turn_outcome").await;
    send(&scene.client, child, "[one] Go on.").await;
    let outcome = watch.until("turn_outcome").await.pop().unwrap();
    assert_eq!(outcome["error"]["code"], "worktree_gone", "{outcome}");
}

/// Git looks at the first agent's worktree until the filter has read a line.
#[tokio::test]
async fn an_agent_ends_while_git_looks_at_the_worktree_of_another() {
    if !has_git() || !has_sandbox() {
        return;
    }
    let scene = AgentScene::with(&format!("{CONFIG}[agents.reviewer]\n")).await;
    let project = scene.daemon.project();
    git(&project, "init -q -b main");
    fs::write(project.join("file"), "text").unwrap();
    fs::write(project.join(".gitattributes"), "file filter=slow\n").unwrap();
    git(&project, "add -A");
    git(&project, "commit -qm first");
    let pipe = project.join(".git/go");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let mut pipe = File::options().read(true).write(true).open(pipe).unwrap();
    let filter = project.join(".git/clean");
    fs::write(&filter, "#!/bin/bash\nread -r _ <${0%clean}go\ncat\n").unwrap();
    fs::set_permissions(&filter, Permissions::from_mode(0o755)).unwrap();
    git(
        &project,
        &format!("config filter.slow.clean {}", filter.display()),
    );
    // Of the same size, so that git has to read it.
    let script = "printf TEXT >file";
    scene
        .parts
        .call("one", "Bash", &json!({ "command": script }));
    let one = scene.spawn("developer", "one").await;
    let held = scene.parts.hold("two");
    let two = scene.spawn("reviewer", "two").await.runtime_id;
    held.reached().await;
    let mut lead = scene.watch().await;
    for _ in [one.runtime_id, two] {
        lead.until("runtime_bound_session").await;
    }
    let mut watch = Watch::from_start(&scene.client, one.session_id).await;
    watch.until("turn_outcome").await;
    held.open();
    let seen = scene.until_ended(1).await;
    assert_eq!(seen.last().unwrap()["runtimeId"], json!(two));
    // Git may read the file of the project as well, for the prompts.
    pipe.write_all(&[b'\n'; 64]).unwrap();
    scene.until_ended(2).await;
    let reason = scene.runtime(one.runtime_id).await.result.unwrap().reason;
    assert!(
        reason.ends_with("changes that are not committed"),
        "{reason}"
    );
}

#[tokio::test]
async fn a_task_without_a_worktree_ends_with_what_helps() {
    if !has_git() {
        return;
    }
    let scene = AgentScene::with(CONFIG).await;
    let id = scene.spawn("developer", "one").await.runtime_id;
    let seen = scene.until_ended(1).await;
    let runtime = scene.runtime(id).await.runtime;
    assert_eq!(runtime.status, AgentTaskStatus::Failed);
    let reason = seen.last().unwrap()["reason"].to_string();
    assert!(reason.contains("git init"), "{reason}");
    assert!(worktrees(&scene).await.is_empty());
}

#[tokio::test]
async fn a_server_of_tools_has_a_process_of_its_own_in_a_worktree() {
    if !has_git() || !has_sandbox() {
        return;
    }
    let notes = tempfile::NamedTempFile::new().unwrap();
    let script = include_str!("../mcp/server.py");
    let path = std::env::var("PATH").unwrap();
    let scene = scene_with(&format!(
        "[[mcp.servers]]\nname = \"places\"\ncommand = \"/usr/bin/env\"\nenv = {{ PATH = {path:?} }}\n\
         args = [\"python3\", \"-c\", {script:?}, \"modern\", {:?}]\n\
         [permissions]\nallow = [\"Tool(mcp__places__place)\"]\n",
        notes.path()
    ))
    .await;
    for name in ["one", "two"] {
        scene.parts.call(name, "mcp__places__place", &json!({}));
        let held = scene.parts.hold(name);
        scene.spawn("developer", name).await;
        held.reached().await;
        held.open();
    }
    scene.until_ended(2).await;
    let noted = fs::read_to_string(notes.path()).unwrap();
    let lines = noted.lines().map(|it| serde_json::from_str(it).unwrap());
    let started: Vec<serde_json::Value> = lines
        .filter(|it: &serde_json::Value| !it["started"].is_null())
        .collect();
    let mut places: Vec<String> = worktrees(&scene)
        .await
        .into_iter()
        .map(|it| it.path)
        .collect();
    let mut found: Vec<_> = started
        .iter()
        .map(|it| it["cwd"].as_str().unwrap())
        .collect();
    places.sort();
    found.sort_unstable();
    assert_eq!(found, places, "{noted}");
}
