//! Files that go where the conversation goes.

use std::fs;

use scorel_client::ClientError;
use scorel_proto::{
    Branch, BranchParams, ErrorCode, EventId, GetTree, GetTreeParams, MoveResult, OnConflict,
    PreviewRestore, PreviewRestoreParams, RestoreAction, RestoreOptions, RestoreScope, Rewind,
    RewindParams, RpcError, TreeEntry,
};
use serde_json::{Value, json};

use super::{Scene, bash, text, write};
use crate::under_test::{connect, has_sandbox, session};

impl Scene {
    async fn turn_ends(&self) -> Vec<TreeEntry> {
        let params = GetTreeParams {
            session_id: self.id,
            after_seq: None,
            limit: None,
            previews: Some(true),
        };
        let tree = self.client.call::<GetTree>(&params).await.unwrap();
        tree.nodes.into_iter().filter(|it| it.turn_end).collect()
    }

    async fn leaf(&self) -> Option<EventId> {
        session(&self.client, self.id).await.active_leaf_id
    }

    pub(super) async fn rewind_params(&self, target: Option<EventId>) -> RewindParams {
        RewindParams {
            session_id: self.id,
            target_event_id: target,
            expected_leaf_id: self.leaf().await,
            restore_files: Some(RestoreOptions::default()),
            command_id: None,
        }
    }

    async fn rewind(&self, target: Option<EventId>) -> MoveResult {
        let params = self.rewind_params(target).await;
        self.client.call::<Rewind>(&params).await.unwrap()
    }

    async fn branch(&self, leaf: EventId) -> MoveResult {
        let params = BranchParams {
            session_id: self.id,
            leaf_event_id: leaf,
            expected_leaf_id: self.leaf().await,
            restore_files: Some(RestoreOptions::default()),
            command_id: None,
        };
        self.client.call::<Branch>(&params).await.unwrap()
    }

    async fn refused(&self, params: &RewindParams) -> RpcError {
        match self.client.call::<Rewind>(params).await.unwrap_err() {
            ClientError::Rpc(error) => error,
            other => panic!("{other:?}"),
        }
    }

    fn has(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    fn records(&self, type_name: &str) -> Vec<Value> {
        let log = self.log().into_iter();
        log.filter(|line| line["type"] == type_name).collect()
    }
}

/// Three turns; the ids of their ends.
async fn three_turns(scene: &Scene) -> [EventId; 3] {
    scene.turn(&[write("a", "1\n")]).await;
    let edit = json!({ "path": "a", "edits": [{ "oldString": "1", "newString": "2" }] });
    let read = super::Call("Read", json!({ "path": "a" }));
    scene
        .turn(&[read, super::Call("Edit", edit), write("b", "b\n")])
        .await;
    scene.turn(&[write("c", "c\n")]).await;
    let ends = scene.turn_ends().await;
    assert_eq!(ends.len(), 3);
    [ends[0].id, ends[1].id, ends[2].id]
}

#[tokio::test(flavor = "multi_thread")]
async fn files_go_back_with_a_rewind_and_come_again_with_a_branch() {
    let scene = Scene::new(|_| {}).await;
    let ends = three_turns(&scene).await;
    let back = scene.rewind(Some(ends[0])).await;
    let files = back.files.unwrap();
    assert_eq!((back.seq, files.restored), (files.seq, 3));
    assert_eq!(files.failed, []);
    assert_eq!(scene.leaf().await, Some(ends[0]));
    assert_eq!(scene.read("a"), "1\n", "as after the first turn");
    assert!(!scene.has("b") && !scene.has("c"));
    let record = &scene.records("rewind")[0];
    assert_eq!(record["id"], files.event_id.to_string());
    assert_eq!(record["files"].as_array().map(Vec::len), Some(3));
    let restored = scene.records("files_restored");
    assert_eq!(restored[0]["eventId"], record["id"]);

    let forward = scene.branch(ends[2]).await;
    let files = forward.files.unwrap();
    assert_eq!(files.restored, 3);
    assert_eq!(
        (scene.read("a"), scene.read("b")),
        ("2\n".into(), "b\n".into())
    );
    assert!(scene.has("c"));
    // Undo of that, without the conversation; and to before everything.
    scene.restore(files.event_id, RestoreScope::Tools).await;
    assert!(scene.read("a") == "1\n" && !scene.has("c"));
    assert_eq!(scene.leaf().await, Some(ends[2]));
    scene.rewind(None).await;
    assert!(!scene.has("a") && !scene.has("b"));
    assert_eq!(scene.leaf().await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_without_files_leaves_them_as_they_are() {
    let scene = Scene::new(|_| {}).await;
    let ends = three_turns(&scene).await;
    let params = RewindParams {
        restore_files: None,
        ..scene.rewind_params(Some(ends[0])).await
    };
    let moved = scene.client.call::<Rewind>(&params).await.unwrap();
    assert_eq!(moved.files, None);
    assert_eq!((scene.read("a"), scene.has("c")), ("2\n".into(), true));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_in_conflict_stops_the_move_after_all_other_checks() {
    let scene = Scene::new(|_| {}).await;
    let ends = three_turns(&scene).await;
    fs::write(scene.path("b"), "by an editor").unwrap();
    let params = scene.rewind_params(Some(ends[0])).await;
    let wrong_leaf = RewindParams {
        expected_leaf_id: Some(ends[1]),
        target_event_id: Some(EventId::generate()),
        ..params.clone()
    };
    assert_eq!(scene.refused(&wrong_leaf).await.details["kind"], "leaf");
    let wrong_target = RewindParams {
        target_event_id: Some(EventId::generate()),
        ..params.clone()
    };
    let refused = scene.refused(&wrong_target).await;
    assert_eq!(refused.code, ErrorCode::InvalidEventId);
    let refused = scene.refused(&params).await;
    assert_eq!(refused.code, ErrorCode::Conflict);
    let expected = json!({ "kind": "files", "paths": ["b"], "count": 1 });
    assert_eq!(refused.details, expected);
    assert_eq!(scene.leaf().await, Some(ends[2]));
    assert_eq!((scene.read("a"), scene.has("c")), ("2\n".into(), true));
    assert_eq!(scene.records("rewind"), [Value::Null; 0]);

    let skip = RestoreOptions {
        scope: None,
        on_conflict: Some(OnConflict::Skip),
    };
    let params = RewindParams {
        restore_files: Some(skip),
        ..params
    };
    let moved = scene.client.call::<Rewind>(&params).await.unwrap();
    assert_eq!(moved.files.unwrap().restored, 2);
    assert_eq!(scene.leaf().await, Some(ends[0]));
    assert_eq!((scene.read("a"), scene.has("c")), ("1\n".into(), false));
    assert_eq!(scene.read("b"), "by an editor");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_says_what_a_move_would_do() {
    let scene = Scene::new(|_| {}).await;
    let ends = three_turns(&scene).await;
    let params = PreviewRestoreParams {
        session_id: scene.id,
        before_event_id: None,
        target_event_id: Some(Some(ends[0])),
        scope: None,
    };
    let preview = scene.client.call::<PreviewRestore>(&params).await.unwrap();
    let actions = preview.files.iter().map(|it| (it.path.as_str(), it.action));
    let expected = [
        ("a", RestoreAction::Write),
        ("b", RestoreAction::Delete),
        ("c", RestoreAction::Delete),
    ];
    assert_eq!(actions.collect::<Vec<_>>(), expected);
    let both = PreviewRestoreParams {
        before_event_id: Some(ends[0]),
        ..params.clone()
    };
    let neither = PreviewRestoreParams {
        target_event_id: None,
        ..params.clone()
    };
    let middle = PreviewRestoreParams {
        target_event_id: Some(Some(scene.first())),
        ..params
    };
    for (params, expected) in [
        (both, ErrorCode::InvalidParams),
        (neither, ErrorCode::InvalidParams),
        (middle, ErrorCode::InvalidEventId),
    ] {
        let refused = scene.client.call::<PreviewRestore>(&params).await;
        let ClientError::Rpc(error) = refused.unwrap_err() else {
            panic!("{params:?}")
        };
        assert_eq!(error.code, expected, "{params:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tree_tells_how_many_files_each_turn_changed() {
    let mut scene = Scene::new(|_| {}).await;
    three_turns(&scene).await;
    scene.turn(&[]).await;
    // Twice the same file is one.
    scene.turn(&[write("d", "1\n"), write("d", "2\n")]).await;
    let counted = |ends: Vec<TreeEntry>| -> Vec<Option<u64>> {
        ends.iter().map(|end| end.file_changes).collect()
    };
    let expected = [Some(1), Some(2), Some(1), Some(0), Some(1)];
    assert_eq!(counted(scene.turn_ends().await), expected);
    let shown = text(&scene.ctl(&["tree"]).await);
    let said: Vec<bool> = shown.lines().map(|it| it.ends_with("(2 files)")).collect();
    assert_eq!(said, [false, true, false, false, false], "{shown}");
    // From the checkpoint, which an orderly stop writes.
    scene.daemon.stop().await;
    scene.daemon.spawn().await;
    scene.client = connect(&scene.daemon.socket()).await;
    assert_eq!(counted(scene.turn_ends().await), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_moves_files_that_commands_changed_only_with_all() {
    if !has_sandbox() {
        return;
    }
    let scene = Scene::new(|project| {
        for name in ["a", "b"] {
            fs::write(project.join(name), name).unwrap();
        }
    })
    .await;
    scene.turn(&[write("tool", "1\n")]).await;
    let script = "sed -i s/a/A/ a; mv b B; cat > d <<END\nd\nEND";
    scene.turn(&[write("tool2", "2\n"), bash(script)]).await;
    let leaf = scene.leaf().await.unwrap();
    let dry = text(&scene.ctl(&["rewind", "--files=all", "--dry-run"]).await);
    let expected = "delete    B\nwrite     a\nwrite     b\ndelete    d\ndelete    tool2\n";
    assert_eq!(dry, expected);
    assert_eq!(scene.leaf().await, Some(leaf), "nothing has moved");
    let without = scene.ctl(&["rewind", "--dry-run"]).await;
    assert_eq!(without.status.code(), Some(2), "{}", text(&without));

    let tools = text(&scene.ctl(&["rewind", "--files", "-1"]).await);
    assert!(tools.contains("\n1 file restored\n"), "{tools}");
    assert!(scene.has("B") && !scene.has("tool2"));
    let again = format!("branch {leaf} --files=all");
    assert!(tools.contains(&again), "{tools}");
    scene.ctl(&again.split(' ').collect::<Vec<_>>()).await;
    assert!(scene.has("tool2"));

    let all = text(&scene.ctl(&["rewind", "--files=all"]).await);
    assert!(all.contains("\n5 files restored\n"), "{all}");
    assert_eq!((scene.read("a"), scene.read("b")), ("a".into(), "b".into()));
    assert!(!scene.has("B") && !scene.has("d") && scene.has("tool"));
    let undone = text(&scene.ctl(&["files", "undo"]).await);
    assert_eq!(undone, "5 files restored\n");
    assert_eq!((scene.read("a"), scene.read("B")), ("A".into(), "b".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_without_files_says_which_are_left_out() {
    if !has_sandbox() {
        return;
    }
    let scene = Scene::new(|_| {}).await;
    scene.turn(&[bash("echo made > by-a-command")]).await;
    let dry = text(&scene.ctl(&["rewind", "--files", "--dry-run"]).await);
    assert!(dry.starts_with("no file would be restored\n"), "{dry}");
    assert!(dry.contains("--files=all restores them too"), "{dry}");
    let all = text(&scene.ctl(&["rewind", "--files=all", "--dry-run"]).await);
    assert_eq!(all, "delete    by-a-command\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_says_which_files_are_in_the_way_of_a_move() {
    let scene = Scene::new(|_| {}).await;
    scene.turn(&[write("a", "a\n"), write("b", "b\n")]).await;
    fs::write(scene.path("a"), "by an editor").unwrap();
    let refused = scene.ctl(&["rewind", "--files"]).await;
    assert_eq!(refused.status.code(), Some(3), "{}", text(&refused));
    assert!(text(&refused).contains("--skip-conflicts"), "{refused:?}");
    assert!(scene.leaf().await.is_some());
    let skipped = ["rewind", "--files", "--skip-conflicts", "--json"];
    let skipped: Value = serde_json::from_slice(&scene.ctl(&skipped).await.stdout).unwrap();
    assert_eq!(skipped["files"]["restored"], 1);
    assert_eq!(skipped["activeLeafId"], Value::Null);
    assert_eq!(
        (scene.read("a"), scene.has("b")),
        ("by an editor".into(), false)
    );
}
