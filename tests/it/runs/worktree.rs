//! Runs that work in a git worktree of their own.

use std::fs;
use std::path::Path;

use scorel_proto::{
    AgentWorkspace, ClientId, ErrorCode, ListRuns, ListRunsParams, ListWorktrees,
    ListWorktreesParams, RemoveWorktree, RemoveWorktreeParams, ResumeRun, ResumeRunParams,
    StartRun, StartRunParams, WorktreeInfo,
};

use super::scene::{RunScene, reads, said};
use crate::under_test::{git, has_git, until};

impl RunScene {
    /// The parameters that start a run in a worktree.
    async fn apart(&self) -> StartRunParams {
        StartRunParams {
            workspace: Some(AgentWorkspace::Worktree),
            ..self.plan().await
        }
    }

    /// Makes the project a repository with one commit, and then changes its file.
    fn commit_file(&self) {
        let project = self.daemon.project();
        git(&project, "init -q -b main");
        fs::write(project.join("file"), "committed").unwrap();
        git(&project, "add -A");
        git(&project, "commit -qm first");
        fs::write(project.join("file"), "only here").unwrap();
    }

    async fn worktrees(&self) -> Vec<WorktreeInfo> {
        let params = ListWorktreesParams::default();
        self.call::<ListWorktrees>(&params).await.worktrees
    }
}

#[tokio::test]
async fn a_run_has_files_of_its_own_that_stay_with_it_in_another_session() {
    if !has_git() {
        return;
    }
    let scene = RunScene::new().await;
    scene.commit_file();
    scene.model.answer(reads("file")).answer(said("Seen."));
    let params = scene.apart().await;
    let mut started = scene.start_with(&params).await;
    started.until("WaitingUser", "question").await;
    let found = scene.get(started.run_id).await.run;
    let worktree = found.worktree.expect("it has one");
    assert!(worktree.branch.starts_with("scorel/notes-"), "{worktree:?}");
    let seen = |request: usize| scene.model.requests()[request].json()["messages"].to_string();
    assert!(seen(1).contains("committed") && !seen(1).contains("only here"));

    let listed = scene.worktrees().await;
    assert_eq!(
        (listed[0].run_id, listed[0].runtime_id, listed.len()),
        (Some(started.run_id), None, 1)
    );
    assert_eq!(listed[0].session_id, Some(started.session_id));

    let anew = ResumeRunParams {
        run_id: started.run_id,
        new_session: Some(true),
        variables: None,
        input: None,
        command_id: None,
    };
    fs::write(Path::new(&worktree.path).join("file"), "by the run").unwrap();
    scene.model.answer(reads("file")).answer(said("Seen."));
    let resumed = scene.call::<ResumeRun>(&anew).await;
    let mut resumed = scene.follow(resumed).await;
    resumed.until("WaitingUser", "question").await;
    assert!(seen(3).contains("by the run"), "{}", seen(3));

    let remove = |force| RemoveWorktreeParams {
        runtime_id: None,
        run_id: Some(started.run_id),
        force,
        command_id: None,
    };
    let error = scene.refused::<RemoveWorktree>(&remove(None)).await;
    assert_eq!(error.details["kind"], "dirty");
    let removed = scene.call::<RemoveWorktree>(&remove(Some(true))).await;
    assert_eq!(removed.branch, worktree.branch);
    let error = scene.refused::<RemoveWorktree>(&remove(None)).await;
    assert_eq!(error.code, ErrorCode::RunNotFound);
    // A run does not go on in the files of the project instead.
    resumed.send("Go on.").await;
    resumed.until("Failed", "error").await;
    let log = scene.daemon.log(&resumed.session_id.to_string());
    let outcome = log.iter().rfind(|it| it["type"] == "turn_outcome").unwrap();
    assert_eq!(outcome["error"]["code"], "worktree_gone");
}

#[tokio::test]
async fn nothing_is_left_of_a_run_that_cannot_have_its_worktree_or_its_files() {
    if !has_git() {
        return;
    }
    let scene = RunScene::new().await;
    let params = scene.apart().await;
    let error = scene.refused::<StartRun>(&params).await;
    assert_eq!(error.code, ErrorCode::FilesystemError);
    assert!(error.message.contains("git init"), "{}", error.message);
    scene.commit_file();
    let runs = scene.daemon.home().join("runs");
    fs::write(&runs, "in the way").unwrap();
    let error = scene.refused::<StartRun>(&params).await;
    assert_eq!(error.code, ErrorCode::FilesystemError);
    assert_eq!(scene.worktrees().await, []);
    fs::remove_file(&runs).unwrap();
    let mut started = scene.start_with(&params).await;
    started.until("WaitingUser", "question").await;
    assert_eq!(scene.worktrees().await.len(), 1);
}

/// A kill as soon as something of the worktree is there comes before, during or after the rest of the start.
#[tokio::test]
async fn a_start_that_a_kill_cuts_off_is_completed_once() {
    if !has_git() {
        return;
    }
    let mut scene = RunScene::new().await;
    scene.commit_file();
    let client_id = ClientId::generate();
    for round in 1..=3 {
        let command_id = format!("start-{round}").parse().unwrap();
        scene.client.hello(Some(client_id)).await.unwrap();
        let params = StartRunParams {
            command_id: Some(command_id),
            ..scene.apart().await
        };
        let worktrees = scene.daemon.home().join("worktrees");
        let count = || fs::read_dir(&worktrees).map_or(0, Iterator::count);
        let before = count();
        tokio::select! {
            _ = scene.client.call::<StartRun>(&params) => {}
            () = until(|| count() > before) => {}
        }
        scene.kill().await;
        scene.client.hello(Some(client_id)).await.unwrap();
        let again = scene.call::<StartRun>(&params).await;
        let run = scene.get(again.run_id).await.run;
        assert_eq!(run.session_id, Some(again.session_id));
        let file = Path::new(&run.worktree.expect("it has one").path).join("file");
        assert_eq!(fs::read_to_string(file).unwrap(), "committed");
        let all = ListRunsParams {
            project_id: None,
            limit: None,
        };
        assert_eq!(scene.call::<ListRuns>(&all).await.runs.len(), round);
        assert_eq!(scene.worktrees().await.len(), round);
    }
}
