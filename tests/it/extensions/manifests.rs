//! A manifest that is broken while it is used.

use std::fs;

use serde_json::json;

use super::scene::{Scene, example, offered};

#[tokio::test]
async fn a_broken_manifest_is_named_and_the_one_before_stays() {
    let scene = Scene::with(|extensions| example(extensions, "notes")).await;
    let mut talk = scene.talk().await;
    talk.turn(&scene.client, "one").await;
    assert!(offered(&scene.model).contains(&"ext__notes__add".to_owned()));
    let manifest = scene.daemon.home().join("extensions/notes/extension.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("description =", "descritpion =")).unwrap();
    talk.turn(&scene.client, "two").await;
    assert!(offered(&scene.model).contains(&"ext__notes__add".to_owned()));
    let processes = scene.processes().await;
    let problems = processes[0].problems.join("\n");
    assert!(
        problems.contains("did you mean `description`?"),
        "{problems}"
    );
    fs::remove_dir_all(scene.daemon.home().join("extensions/notes")).unwrap();
    let gone = scene.call(&mut talk, "ext__notes__list", &json!({})).await;
    assert!(gone.contains("E_UNAVAILABLE"), "{gone}");
    assert!(scene.processes().await.is_empty());
}
