//! Extensions that a project brings: nothing before they are trusted, and confined after.

use std::fs;
use std::path::Path;

use scorel_client::Connection;
use scorel_proto::{
    CreateSession, CreateSessionParams, ProcessState, RegisterProject, RegisterProjectParams,
    SessionId,
};
use scorel_testkit::DaemonUnderTest;
use serde_json::json;

use super::probe::{LURE, probe, probed};
use super::scene::{Scene, has, offered, python};
use crate::under_test::{has_sandbox, scorelctl};

const TOOL: &str = "ext__probe__probe";

/// A daemon whose project brings the probe.
async fn cloned() -> Scene {
    Scene::prepared(|daemon| {
        let extensions = daemon.project().join(".scorel/extensions");
        probe(&extensions, "probe", &daemon.project().join("started"));
    })
    .await
}

async fn run(scene: &Scene, arguments: &[&str]) -> String {
    let output = scorelctl(&scene.daemon, arguments, &[]).await;
    let [out, err] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
    out + &err
}

/// A session of another project.
pub(crate) async fn session_elsewhere(client: &Connection, daemon: &DaemonUnderTest) -> SessionId {
    let other = daemon.home().parent().unwrap().join("other");
    fs::create_dir(&other).unwrap();
    let registered = RegisterProjectParams {
        work_dir: other.to_str().unwrap().to_owned(),
        display_name: None,
        command_id: None,
    };
    let registered = client.call::<RegisterProject>(&registered).await;
    let session = CreateSessionParams {
        project_id: registered.unwrap().project.project_id,
        title: None,
        runner: None,
        model: None,
        thinking_level: None,
        tools: None,
        command_id: None,
    };
    let session = client.call::<CreateSession>(&session).await;
    session.unwrap().session_id
}

fn is_offered(scene: &Scene) -> bool {
    offered(&scene.model).contains(&TOOL.to_owned())
}

#[tokio::test]
async fn an_untrusted_clone_starts_nothing_and_tells_the_model_nothing() {
    let scene = cloned().await;
    let mut talk = scene.talk().await;
    scene
        .call(&mut talk, "Bash", &json!({"command": "true"}))
        .await;
    let told = scene.model.requests();
    let told: Vec<_> = told.iter().map(|it| it.json().to_string()).collect();
    assert!(
        told.iter()
            .all(|body| !body.contains(LURE) && !body.contains("ext__"))
    );
    assert!(scene.processes().await.is_empty());
    let restarted = run(&scene, &["ext", "restart", "probe"]).await;
    assert!(restarted.contains("does not run"), "{restarted}");
    assert!(!scene.daemon.project().join("started").exists());
    let listed = run(&scene, &["ext", "list"]).await;
    assert!(
        listed.contains("project untrusted") && listed.contains(TOOL),
        "{listed}"
    );
    let trust = run(&scene, &["trust"]).await;
    let runs = "probe.py";
    assert!(
        trust.contains(runs) && trust.contains("in the sandbox, without network"),
        "{trust}"
    );
}

#[tokio::test]
async fn a_trusted_one_runs_from_its_copy_confined_and_for_its_project_only() {
    if !has("python3") || !has_sandbox() {
        return;
    }
    let scene = cloned().await;
    run(&scene, &["trust", "add", "extension:probe"]).await;
    let (home, project) = (scene.daemon.home(), scene.daemon.project());
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    // Programs may write temporary files, and a clone can be among them.
    let outside = match target.starts_with(std::env::temp_dir()) {
        true => home.join("store/written-by-a-project"),
        false => target.join("written-by-a-project"),
    };
    let wanted = json!({
        "write": [project.join("inside"), home.join("extension-data/probe/kept"), outside, home.join("config.toml")],
        "connect": scene.model.base_url().rsplit(':').next().unwrap().split('/').next().unwrap()
            .parse::<u16>().unwrap(),
    });
    let mut talk = scene.talk().await;
    let found = probed(&scene, &mut talk, "probe", &wanted).await;
    let place = Path::new(found["place"].as_str().unwrap());
    assert!(place.starts_with(home.join("store")), "{found}");
    assert_eq!(found["start"]["project"]["directory"], json!(project));
    let writes = found["writes"].as_array().unwrap();
    assert_eq!(writes[..2], ["done", "done"], "{found}");
    assert!(!writes[2..].contains(&json!("done")), "{found}");
    assert_ne!(found["connects"], "done", "{found}");
    assert!(
        found["turnId"].as_str().unwrap().starts_with("trn_"),
        "{found}"
    );
    let processes = scene.processes().await;
    assert_eq!(processes[0].state, ProcessState::Ready);
    assert!(processes[0].project_id.is_some());

    let session_id = session_elsewhere(&scene.client, &scene.daemon).await;
    let mut elsewhere = scene.talk_in(session_id).await;
    elsewhere.turn(&scene.client, "hello").await;
    assert!(!is_offered(&scene));
    assert_eq!(scene.processes().await.len(), 1, "it goes on");
}

#[tokio::test]
async fn one_changed_byte_makes_it_inert_and_is_named_and_trust_that_is_taken_back_ends_it() {
    if !has("python3") {
        return;
    }
    let scene = cloned().await;
    let add = ["trust", "add", "extension:probe"];
    run(&scene, &add).await;
    let mut talk = scene.talk().await;
    probed(&scene, &mut talk, "probe", &json!({})).await;
    let manifest = scene
        .daemon
        .project()
        .join(".scorel/extensions/probe/extension.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("version = '1'", "version = '2'")).unwrap();
    let inert = scene.call(&mut talk, TOOL, &json!({})).await;
    assert!(inert.contains("E_UNAVAILABLE"), "{inert}");
    assert!(scene.processes().await.is_empty(), "its process has ended");
    let trust = run(&scene, &["trust"]).await;
    assert!(
        trust.contains("modified  extension.toml") && trust.contains("changed"),
        "{trust}"
    );
    run(&scene, &add).await;
    probed(&scene, &mut talk, "probe", &json!({})).await;
    run(&scene, &["trust", "remove", "extension:probe"]).await;
    assert!(scene.processes().await.is_empty(), "without a turn");
}

#[tokio::test]
async fn hooks_of_the_project_look_first_and_the_users_last() {
    if !has("python3") {
        return;
    }
    let scene = Scene::prepared(|daemon| {
        let (home, project) = (daemon.home(), daemon.project());
        probe(
            &project.join(".scorel/extensions"),
            "theirs",
            &project.join("started"),
        );
        for id in ["a", "z"] {
            probe(&home.join("extensions"), id, &home.join("started"));
        }
        daemon.configure_more(
            "[extensions]\norder = ['z']\n[extensions.theirs.config]\nword = '1'\n\
             [extensions.z.config]\nword = '2'\n[extensions.a.config]\nword = '3'\n",
        );
    })
    .await;
    run(&scene, &["trust", "add", "extension:theirs"]).await;
    let mut talk = scene.talk().await;
    let command = json!({"command": "echo said"});
    let result = scene.call(&mut talk, "Bash", &command).await;
    assert!(result.contains("said 1 2 3"), "{result}");
}

const WRITER: &str = r#"
def tool_call(params):
    session = params["input"]["session"]
    answer = ask("appendCustom", sessionId=session, kind="writer.state", data=1)
    return {"content": answer["data"]["code"] if "data" in answer else "recorded"}
"#;

#[tokio::test]
async fn a_projects_program_writes_into_sessions_of_its_project_only() {
    if !has("python3") || !has_sandbox() {
        return;
    }
    let tool =
        "[[tools]]\nname = 'write'\ndescription = 'Writes.'\nparameters = { type = 'object' }\n";
    let scene = Scene::prepared(|daemon| {
        let extensions = daemon.project().join(".scorel/extensions");
        python(&extensions, "writer", tool, WRITER);
    })
    .await;
    run(&scene, &["trust", "add", "extension:writer"]).await;
    let mut talk = scene.talk().await;
    let elsewhere = session_elsewhere(&scene.client, &scene.daemon).await;
    for (session, expected) in [(talk.id, "recorded"), (elsewhere, "forbidden")] {
        let input = json!({ "session": session });
        let result = scene.call(&mut talk, "ext__writer__write", &input).await;
        assert!(result.contains(expected), "{result}");
    }
}
