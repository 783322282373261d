//! Changes of which the daemon knows that it does not know them.

use scorel_proto::{
    ClientId, Hello, HelloParams, PreviewRestore, PreviewRestoreParams, ProtocolRange,
    RestoreFiles, RestoreFilesParams, RestoreScope,
};

use super::{Scene, bash, text, write};
use crate::under_test::has_sandbox;

/// In a project with a pipe for its ignore file no command is watched.
fn unwatchable(project: &std::path::Path) {
    let pipe = project.join(".gitignore");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_restore_and_preview_says_what_was_not_watched() {
    if !has_sandbox() {
        return;
    }
    let scene = Scene::new(unwatchable).await;
    scene.turn(&[bash("echo changed > a")]).await;
    for command in [
        "files restore --dry-run --all",
        "files restore --all",
        "rewind -1 --files=all --dry-run",
        "rewind -1 --files=all",
    ] {
        let arguments: Vec<&str> = command.split(' ').collect();
        let said = scene.ctl(&arguments).await;
        assert!(said.status.success(), "{command}: {}", text(&said));
        let said = text(&said);
        let note = "the changes by 1 call are not known and not restored";
        assert!(
            said.contains(note) && said.contains("not a regular file"),
            "{command}: {said}"
        );
    }
    assert_eq!(scene.read("a"), "changed\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_restore_says_the_same_of_what_was_not_watched() {
    if !has_sandbox() {
        return;
    }
    let scene = Scene::new(unwatchable).await;
    scene
        .turn(&[write("a", "1\n"), bash("true"), bash("true")])
        .await;
    let client = HelloParams {
        client_id: Some(ClientId::generate()),
        name: None,
        protocol: ProtocolRange::SUPPORTED,
    };
    scene.client.call::<Hello>(&client).await.unwrap();
    let params = RestoreFilesParams {
        command_id: Some("once".parse().unwrap()),
        ..scene.params(scene.first(), RestoreScope::Tools)
    };
    let restored = scene.client.call::<RestoreFiles>(&params).await.unwrap();
    let unwatched = restored.unwatched.as_ref().unwrap();
    assert_eq!(
        (restored.restored, unwatched.calls, unwatched.reasons.len()),
        (1, 2, 1)
    );
    scene.turn(&[bash("true")]).await;
    let again = scene.client.call::<RestoreFiles>(&params).await.unwrap();
    assert_eq!(again, restored);
    let params = PreviewRestoreParams {
        session_id: scene.id,
        before_event_id: Some(restored.event_id),
        target_event_id: None,
        scope: None,
    };
    let preview = scene.client.call::<PreviewRestore>(&params).await.unwrap();
    assert_eq!(preview.unwatched.unwrap().calls, 1);
}
