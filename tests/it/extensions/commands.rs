//! Commands of extensions, by RPC and on the command line.

use std::fs;

use scorel_client::ClientError;
use scorel_proto::{
    ClientId, CommandKind, ErrorCode, ListCommands, ListCommandsParams, RpcError, RunCommand,
    RunCommandParams, RunCommandResult, SendMessageResult,
};
use serde_json::json;

use super::scene::{Scene, Talk, has, python};
use crate::acp::editor::Editor;
use crate::under_test::{NamedPipe, connect, scorelctl};

const COMMANDS: &str = r#"
[[commands]]
name = "say"
description = "Says it."
argumentHint = "TEXT"
prompt = "Say $ARGUMENTS."

[[commands]]
name = "count"
description = "Counts."

[[commands]]
name = "both"
description = "Counts, and asks."

[[commands]]
name = "wrong"
description = "Answers wrongly."
"#;

const PROGRAM: &str = r#"
def command_run(params):
    note("asked", params)
    answers = {
        "count": {"reply": "3 files"},
        "both": {"message": "Tell me " + params["arguments"] + ".", "reply": "asked"},
    }
    return answers.get(params["name"], {"wrong": 1})
"#;

async fn run(
    scene: &Scene,
    talk: &Talk,
    name: &str,
    id: &str,
) -> Result<RunCommandResult, RpcError> {
    let params = RunCommandParams {
        session_id: talk.id,
        name: name.to_owned(),
        arguments: "one two".to_owned(),
        while_running: None,
        model: None,
        runner: None,
        command_id: Some(id.parse().unwrap()),
    };
    match scene.client.call::<RunCommand>(&params).await {
        Ok(answer) => Ok(answer),
        Err(ClientError::Rpc(error)) => Err(error),
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_command_is_a_message_a_reply_or_both() {
    if !has("python3") {
        return;
    }
    let scene = Scene::with(|dir| python(dir, "deck", COMMANDS, PROGRAM)).await;
    let mut talk = scene.talk().await;
    let params = ListCommandsParams {
        session_id: Some(talk.id),
        project_id: None,
    };
    let listed = scene.client.call::<ListCommands>(&params).await.unwrap();
    let names: Vec<_> = listed.commands.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["deck:say", "deck:count", "deck:both", "deck:wrong"]);
    assert_eq!(listed.commands[0].kind, CommandKind::Extension);
    assert_eq!(listed.commands[0].argument_hint.as_deref(), Some("TEXT"));

    scene
        .client
        .hello(Some(ClientId::generate()))
        .await
        .unwrap();
    let said = run(&scene, &talk, "deck:say", "say").await.unwrap();
    assert!(said.message.is_some() && said.reply.is_none());
    talk.until("turn_outcome").await;
    assert!(scene.sent(0).contains("Say one two."));
    assert!(scene.processes().await.iter().all(|it| it.starts == 0));

    let counted = run(&scene, &talk, "deck:count", "count").await.unwrap();
    assert_eq!(
        (counted.message, counted.reply.as_deref()),
        (None, Some("3 files"))
    );
    let both = run(&scene, &talk, "deck:both", "both").await.unwrap();
    assert!(matches!(
        both.message,
        Some(SendMessageResult::Accepted { .. })
    ));
    assert_eq!(both.reply.as_deref(), Some("asked"));
    talk.until("turn_outcome").await;
    assert!(scene.sent(1).contains("Tell me one two."));
    let asked = scene.noted("deck", "asked");
    let first = json!({
        "sessionId": talk.id, "commandId": "count", "name": "count", "arguments": "one two",
    });
    assert_eq!(asked[0], first);

    let wrong = run(&scene, &talk, "deck:wrong", "wrong").await.unwrap_err();
    assert_eq!(wrong.code, ErrorCode::ExtensionUnavailable);
    assert_eq!(wrong.details["state"], "ready");
    assert!(
        wrong.details["reason"].to_string().contains("`wrong`"),
        "{wrong:?}"
    );
    let unknown = run(&scene, &talk, "deck:cuont", "typo").await.unwrap_err();
    assert_eq!(unknown.details["suggestion"], "deck:count");
    assert_eq!(scene.model.requests().len(), 2);
}

#[tokio::test]
async fn a_reply_is_printed_and_no_turn_is_waited_for() {
    if !has("python3") {
        return;
    }
    let scene = Scene::with(|dir| python(dir, "deck", COMMANDS, PROGRAM)).await;
    let session = scene.talk().await.id.to_string();
    let send = async |more: &[&str]| {
        let arguments = [&["send", "--session", &session], more].concat();
        let sent = scorelctl(&scene.daemon, &arguments, &[]).await;
        let text = String::from_utf8(sent.stdout).unwrap();
        (
            sent.status.code(),
            text,
            String::from_utf8(sent.stderr).unwrap(),
        )
    };
    let (code, text, _) = send(&["/deck:count"]).await;
    assert_eq!((code, text.as_str()), (Some(0), "3 files\n"));
    let (code, text, _) = send(&["--json", "/deck:count"]).await;
    let line: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        line,
        json!({"type": "reply", "sessionId": session, "reply": "3 files"})
    );
    assert_eq!((code, scene.model.requests().len()), (Some(0), 0));
    let (code, text, _) = send(&["/deck:both x"]).await;
    assert!(
        text.starts_with("asked\n") && text.contains("done"),
        "{text}"
    );
    assert_eq!((code, scene.model.requests().len()), (Some(0), 1));
    let (code, _, errors) = send(&["/deck:wrong"]).await;
    assert!(
        code != Some(0) && errors.contains("not that of a command"),
        "{errors}"
    );
}

#[tokio::test]
async fn an_editor_is_shown_a_reply_and_its_prompt_ends() {
    if !has("python3") {
        return;
    }
    let scene = Scene::with(|dir| python(dir, "deck", COMMANDS, PROGRAM)).await;
    let mut editor = Editor::start(&scene.daemon).await;
    let session = editor.new_session().await;
    let prompt = editor.prompt(&session, "/deck:count").await;
    assert_eq!(editor.stopped(prompt).await, "end_turn");
    let told = editor.texts("agent_message_chunk").concat();
    assert!(told.contains("3 files"), "{told}");
    assert!(scene.model.requests().is_empty());
}

#[tokio::test]
async fn a_command_whose_daemon_was_killed_is_run_again_and_its_message_accepted_once() {
    if !has("python3") {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let (hold, at) = (place.path().join("hold"), place.path().join("at"));
    let mut pipe = NamedPipe::new(&at);
    fs::write(&hold, "").unwrap();
    let functions = format!(
        r#"
def command_run(params):
    import time
    note("asked", params["commandId"])
    if os.path.exists('{}'):
        with open('{}', 'w') as pipe:
            print("at", file=pipe)
        time.sleep(1000)
    return {{"message": "Count."}}
"#,
        hold.display(),
        at.display()
    );
    let mut scene = Scene::with(|dir| python(dir, "deck", COMMANDS, &functions)).await;
    let mut talk = scene.talk().await;
    let client = ClientId::generate();
    scene.client.hello(Some(client)).await.unwrap();
    tokio::select! {
        ended = run(&scene, &talk, "deck:count", "once") => panic!("{ended:?}"),
        _ = pipe.line() => {}
    }
    scene.daemon.kill().await;
    fs::remove_file(hold).unwrap();
    scene.daemon.spawn().await;
    scene.client = connect(&scene.daemon.socket()).await;
    scene.client.hello(Some(client)).await.unwrap();
    talk.again(&scene.client).await;
    let first = run(&scene, &talk, "deck:count", "once").await.unwrap();
    assert!(matches!(
        first.message,
        Some(SendMessageResult::Accepted { .. })
    ));
    assert_eq!(run(&scene, &talk, "deck:count", "once").await, Ok(first));
    talk.until("turn_outcome").await;
    assert_eq!(scene.noted("deck", "asked"), ["once", "once"]);
    let log = scene.daemon.log(&talk.id.to_string());
    let messages = log.iter().filter(|it| it["message"]["role"] == "user");
    assert_eq!(messages.count(), 1);
}
