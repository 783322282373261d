//! The examples of `docs/extensions`, as they are published.

use std::fs;

use scorel_proto::{
    GetProcessLog, GetProcessLogParams, ProcessState, RestartProcess, RestartProcessParams,
};
use serde_json::json;

use super::scene::{Scene, example, has, offered};
use crate::under_test::{connect, scorelctl};

#[tokio::test]
async fn a_tool_of_an_extension_is_called_and_keeps_its_data() {
    if !has("python3") {
        return;
    }
    let scene = Scene::with(|extensions| example(extensions, "notes")).await;
    let mut talk = scene.talk().await;
    assert!(scene.processes().await.is_empty(), "nothing was needed yet");
    let text = json!({"text": "remember the milk"});
    let result = scene.call(&mut talk, "ext__notes__add", &text).await;
    assert!(result.contains("noted"), "{result}");
    let result = scene.call(&mut talk, "ext__notes__list", &json!({})).await;
    assert!(result.contains("remember the milk"), "{result}");
    let wrong = scene.call(&mut talk, "ext__notes__add", &json!({})).await;
    assert!(wrong.contains("E_INVALID_ARGUMENTS"), "{wrong}");
    let notes = scene.daemon.home().join("extension-data/notes/notes.txt");
    assert_eq!(fs::read_to_string(notes).unwrap(), "remember the milk\n");
    let processes = scene.processes().await;
    assert_eq!(processes[0].process, "extension:notes");
    assert_eq!(
        (processes[0].state, processes[0].starts),
        (ProcessState::Ready, 1)
    );
    assert!(offered(&scene.model).contains(&"ext__notes__add".to_owned()));
}

#[tokio::test]
async fn a_process_is_restarted_by_its_name_and_its_log_is_read() {
    if !has("python3") {
        return;
    }
    let scene = Scene::with(|extensions| {
        example(extensions, "notes");
        let program = extensions.join("notes/notes.py");
        let text = fs::read_to_string(&program).unwrap();
        fs::write(
            &program,
            format!("import sys\nprint('hello', file=sys.stderr)\n{text}"),
        )
        .unwrap();
    })
    .await;
    let mut talk = scene.talk().await;
    scene.call(&mut talk, "ext__notes__list", &json!({})).await;
    let process = "extension:notes".to_owned();
    let params = RestartProcessParams {
        process: process.clone(),
    };
    let answer = scene.client.call::<RestartProcess>(&params).await.unwrap();
    assert_eq!(answer.restarted, 1);
    let result = scene.call(&mut talk, "ext__notes__list", &json!({})).await;
    assert!(result.contains("there are no notes"), "{result}");
    let params = GetProcessLogParams { process };
    let log = scene
        .client
        .call::<GetProcessLog>(&params)
        .await
        .unwrap()
        .log;
    assert!(log.starts_with("hello"), "{log}");
    let unknown = RestartProcessParams {
        process: "extension:none".to_owned(),
    };
    scene
        .client
        .call::<RestartProcess>(&unknown)
        .await
        .unwrap_err();
}

#[tokio::test]
async fn a_goal_is_kept_in_the_log_and_the_model_is_reminded_of_it() {
    if !has("python3") {
        return;
    }
    let mut scene = Scene::with(|extensions| example(extensions, "goal")).await;
    let mut talk = scene.talk().await;
    let session = talk.id.to_string();
    let command = async |scene: &Scene, text: &str| {
        let arguments = ["send", "--session", &session, text];
        let sent = scorelctl(&scene.daemon, &arguments, &[]).await;
        assert!(sent.status.success(), "{sent:?}");
        String::from_utf8(sent.stdout).unwrap()
    };
    let shown = command(&scene, "/goal:show").await;
    assert_eq!(shown, "This session has no goal.\n");
    let set = command(&scene, "/goal:set Ship it").await;
    assert_eq!(set, "The goal is set.\n");
    scene.daemon.kill().await;
    scene.daemon.spawn().await;
    scene.client = connect(&scene.daemon.socket()).await;
    talk.again(&scene.client).await;
    talk.turn(&scene.client, "Go on.").await;
    assert!(scene.sent(0).contains("The goal of this session: Ship it"));
    assert_eq!(command(&scene, "/goal:show").await, "Ship it\n");
}

#[tokio::test]
async fn a_guard_refuses_a_command_and_takes_keys_out_of_results() {
    if !has("node") {
        return;
    }
    let scene = Scene::with(|extensions| example(extensions, "guard")).await;
    let mut talk = scene.talk().await;
    let refused = json!({"command": "git reset --hard HEAD~3"});
    let result = scene.call(&mut talk, "Bash", &refused).await;
    assert!(result.contains("throws work away"), "{result}");
    let log = scene.daemon.log(&talk.id.to_string());
    assert!(log.iter().all(|event| event["type"] != "tool_started"));
    scene
        .daemon
        .write_project_file("key.txt", "key sk-abcdefghijklmnop1234\n");
    let read = json!({"command": "cat key.txt"});
    let result = scene.call(&mut talk, "Bash", &read).await;
    assert!(result.contains("key [key]"), "{result}");
}

#[tokio::test]
async fn a_guard_whose_program_is_gone_lets_nothing_pass() {
    let scene = Scene::with(|extensions| {
        example(extensions, "guard");
        let manifest = extensions.join("guard/extension.toml");
        let text = fs::read_to_string(&manifest).unwrap();
        fs::write(&manifest, text.replace("\"node\"", "\"no-such-program\"")).unwrap();
    })
    .await;
    let mut talk = scene.talk().await;
    let command = json!({"command": "touch ran"});
    let result = scene.call(&mut talk, "Bash", &command).await;
    assert!(result.contains("extension guard"), "{result}");
    assert!(
        result.contains("no-such-program is not installed"),
        "{result}"
    );
    assert!(!scene.daemon.project().join("ran").exists());
}
