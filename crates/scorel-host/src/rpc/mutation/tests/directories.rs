//! Commands that make or remove a directory.

use scorel_proto::WorktreeOwner;

use super::*;

#[tokio::test]
async fn the_next_start_finishes_a_clone_and_removes_what_was_left_of_it() {
    let place = TestHome::new();
    let host = place.start().await;
    let project = place.project(&host).await;
    let create = mutate(&host, place.command("c1", "x"), creation(project));
    let source = create.await.unwrap().session().unwrap();
    let effect = Effect::CloneSession {
        session_id: SessionId::generate(),
        params: CloneSessionParams {
            session_id: source,
            event_id: None,
            command_id: None,
        },
    };
    let clone = effect.makes().unwrap();
    place.dies_before("c2", "y", &effect).await;
    let left = place.dir.path().join("sessions/.cloning/ses_x");
    std::fs::create_dir_all(&left).unwrap();
    std::fs::write(left.join("events.jsonl"), "half").unwrap();
    for _ in 0..2 {
        let host = place.start().await;
        assert!(!left.exists());
        assert_eq!(sessions(&host).await.len(), 2);
        let again = mutate(&host, place.command("c2", "y"), effect.clone());
        assert_eq!(again.await, Ok(clone.clone()));
        let id = clone.clone().session().unwrap();
        let session = host.sessions.get(id).await.unwrap().session().unwrap();
        let parent = session.parent.expect("a clone has a parent");
        assert_eq!((parent.session_id, parent.event_id), (source, None));
        assert_eq!(session.thinking_level, ThinkingLevel::High);
    }
}

#[tokio::test]
async fn a_worktree_is_removed_once_and_its_branch_is_told_again() {
    let place = TestHome::new();
    let host = place.start().await;
    let project_id = place.project(&host).await;
    let make = || {
        let runtime_id = scorel_proto::AgentTaskId::generate();
        let worktrees = host.home.join("worktrees");
        let path = worktrees.join(runtime_id.to_string());
        std::fs::create_dir_all(path.join("src")).unwrap();
        let note = serde_json::json!({
            "runtimeId": runtime_id,
            "projectId": project_id,
            "path": path,
            "branch": "scorel/b",
            "repository": host.home.join("none"),
        });
        let file = worktrees.join(format!("{runtime_id}.json"));
        std::fs::write(file, note.to_string()).unwrap();
        let effect = |branch: Option<&str>| Effect::RemoveWorktree {
            owner: WorktreeOwner::RuntimeId(runtime_id),
            branch: branch.map(str::to_owned),
            force: true,
        };
        (path, effect(Some("scorel/b")), effect(None))
    };
    let gone = Ok(Subject::Branch("scorel/b".to_owned()));
    let (path, effect, unknown) = make();
    let removed = mutate(&host, place.command("c1", "x"), effect.clone()).await;
    assert_eq!((removed, path.exists()), (gone.clone(), false));
    let again = mutate(&host, place.command("c1", "x"), unknown.clone()).await;
    assert_eq!(again, gone);
    let other = mutate(&host, place.command("c2", "x"), unknown).await;
    assert_eq!(other.unwrap_err().code, ErrorCode::AgentTaskNotFound);

    // The first attempt has removed it and did not get to end its receipt.
    place.dies_before("c3", "x", &effect).await;
    let host = place.start().await;
    let again = mutate(&host, place.command("c3", "x"), effect).await;
    assert_eq!(again, gone);
}
