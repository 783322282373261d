//! `[extensions]` of the configuration.

use scorel_proto::ProcessState;
use serde_json::json;

use super::probe::{probe, probed};
use super::scene::{Scene, has};
use crate::under_test::scorelctl;

async fn own() -> Scene {
    Scene::prepared(|daemon| {
        let mark = daemon.home().join("started");
        probe(&daemon.home().join("extensions"), "probe", &mark);
        let project = daemon.project().join(".scorel");
        std::fs::create_dir(&project).unwrap();
        // A project neither turns off a guard of the user's, nor feeds it.
        let text =
            "[extensions]\ndisabled = ['probe']\n[extensions.probe.config]\nword = 'theirs'\n";
        std::fs::write(project.join("config.toml"), text).unwrap();
    })
    .await
}

async fn set(scene: &Scene, key: &str, value: &str) {
    let output = scorelctl(&scene.daemon, &["config", "set", key, value], &[]).await;
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test]
async fn settings_are_the_users_and_another_config_is_another_process() {
    if !has("python3") {
        return;
    }
    let scene = own().await;
    let mut talk = scene.talk().await;
    let found = probed(&scene, &mut talk, "probe", &json!({})).await;
    assert_eq!(found["start"]["config"], json!({}), "nothing of a project");
    set(&scene, "extensions.probe.config.word", "'mine'").await;
    set(
        &scene,
        "extensions.probe.config.deep.since",
        "2026-01-02T03:04:05Z",
    )
    .await;
    let found = probed(&scene, &mut talk, "probe", &json!({})).await;
    let config = json!({"word": "mine", "deep": {"since": "2026-01-02T03:04:05Z"}});
    assert_eq!(found["start"]["config"], config);
    let again = probed(&scene, &mut talk, "probe", &json!({})).await;
    assert_eq!(
        again["pid"], found["pid"],
        "the process stays while its config does"
    );
}

#[tokio::test]
async fn a_disabled_one_does_nothing_and_an_unknown_one_is_named() {
    if !has("python3") {
        return;
    }
    let scene = own().await;
    let mut talk = scene.talk().await;
    probed(&scene, &mut talk, "probe", &json!({})).await;
    assert_eq!(scene.processes().await[0].state, ProcessState::Ready);
    set(&scene, "extensions.disabled", "['probe']").await;
    let command = json!({"command": "echo said"});
    let result = scene.call(&mut talk, "Bash", &command).await;
    assert!(result.contains("said"), "no hook: {result}");
    let result = scene.call(&mut talk, "ext__probe__probe", &json!({})).await;
    assert!(result.contains("E_UNAVAILABLE"), "no tool: {result}");
    assert!(scene.processes().await.is_empty());
    let list = || scorelctl(&scene.daemon, &["ext", "list"], &[]);
    let listed = String::from_utf8(list().await.stdout).unwrap();
    assert!(listed.contains("disabled"), "{listed}");
    set(&scene, "extensions.disabled", "['porbe']").await;
    let said = String::from_utf8(list().await.stderr).unwrap();
    assert!(said.contains("did you mean `probe`?"), "{said}");
}
