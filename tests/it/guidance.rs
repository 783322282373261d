//! What the model is told besides the conversation: instructions of the user and the project, and skills.

use std::fs;
use std::path::Path;

use scorel_client::Connection;
use scorel_proto::{Session, SessionId, UpdateSession, UpdateSessionParams};
use scorel_testkit::{DaemonUnderTest, ModelServer, RecordedRequest, ScriptedChat};
use serde_json::{Value, json};

use crate::under_test::{SCORELD, Watch, new_session, scorelctl, send, types};

async fn answering() -> (DaemonUnderTest, ModelServer) {
    let model = ModelServer::start().await.unwrap();
    let answer = ScriptedChat::default().text("done").finish("stop");
    model.fallback(answer.usage(10, 1));
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure_model(&model.base_url());
    (daemon, model)
}

/// A session, and a subscription that has seen all turns before.
struct Talk {
    client: Connection,
    id: SessionId,
    watch: Watch,
}

impl Talk {
    async fn on(daemon: &DaemonUnderTest) -> Self {
        let (client, id) = new_session(daemon).await;
        let mut watch = Watch::from_start(&client, id).await;
        watch.until("sync_end").await;
        Self { client, id, watch }
    }

    async fn turn(&mut self, text: &str) -> Vec<Value> {
        send(&self.client, self.id, text).await;
        self.watch.until("turn_outcome").await
    }
}

fn messages(request: &RecordedRequest) -> Vec<String> {
    let body = request.json();
    let messages = body["messages"].as_array().unwrap();
    let text = |message: &Value| match &message["content"] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    messages.iter().map(text).collect()
}

fn last(model: &ModelServer) -> Vec<String> {
    messages(model.requests().last().unwrap())
}

async fn refresh(client: &Connection, session_id: SessionId) -> Session {
    let params = UpdateSessionParams {
        on_restart: None,
        session_id,
        title: None,
        runner: None,
        model: None,
        thinking_level: None,
        tools: None,
        refresh_instructions: Some(true),
        command_id: None,
    };
    client.call::<UpdateSession>(&params).await.unwrap().session
}

fn write_skill(dir: &Path, name: &str, body: &str) {
    let dir = dir.join(name);
    fs::create_dir_all(dir.join("parts")).unwrap();
    let text = format!("---\nname: {name}\ndescription: About {name}\n---\n{body}\n");
    fs::write(dir.join("SKILL.md"), text).unwrap();
    fs::write(dir.join("parts/more.md"), format!("more about {name}\n")).unwrap();
}

#[tokio::test]
async fn a_changed_instruction_is_a_message_and_a_refresh_a_new_prompt() {
    let (mut daemon, model) = answering().await;
    daemon.configure_more("\n[prompt]\ntext = \"Speak plainly.\"\n");
    daemon.write_project_file("AGENTS.md", "Run `make test`.\nUse tabs.\n");
    daemon.spawn().await;
    let mut talk = Talk::on(&daemon).await;
    talk.turn("one").await;
    let first = last(&model);
    assert!(first[0].contains("Run `make test`.") && first[0].contains("Speak plainly."));
    assert!(first[0].contains("You are a coding agent."), "{}", first[0]);

    daemon.write_project_file("AGENTS.md", "Run `make check`.\nUse tabs.\n");
    talk.turn("two").await;
    let second = last(&model);
    assert_eq!(second[..2], first[..2], "the prefix stays");
    let told = second.last().unwrap();
    assert!(told.starts_with("<system-reminder>\n"), "{told}");
    assert!(
        told.contains("Run `make check`.") && told.contains("AGENTS.md"),
        "{told}"
    );

    talk.turn("three").await;
    let third = last(&model);
    assert_eq!(third[..second.len()], second[..], "told once");
    assert_eq!(third.last().unwrap(), "three");

    refresh(&talk.client, talk.id).await;
    talk.turn("four").await;
    let fourth = last(&model);
    assert!(fourth[0].contains("Run `make check`."), "{}", fourth[0]);
    assert!(!fourth[0].contains("make test"), "{}", fourth[0]);
    assert_eq!(fourth.last().unwrap(), "four");
    let log = daemon.log(&talk.id.to_string());
    let count = |name| types(&log).iter().filter(|it| **it == name).count();
    assert_eq!(
        (count("instruction_snapshot"), count("custom_message")),
        (2, 1)
    );
    let parts = log
        .iter()
        .find(|it| it["type"] == "instruction_snapshot")
        .unwrap()["parts"]
        .clone();
    let agents = parts
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["source"] == "agents")
        .unwrap();
    assert_eq!(agents["sha256"].as_str().unwrap().len(), 64);
}

#[tokio::test]
async fn instructions_of_a_deeper_directory_come_with_the_first_result_from_it() {
    let (mut daemon, model) = answering().await;
    let read = |id: &str, path: &str| {
        let arguments = json!({ "path": path }).to_string();
        let chat = ScriptedChat::default().tool_call(id, "Read", &arguments);
        chat.finish("tool_calls").usage(1, 1)
    };
    model
        .answer(read("a", "web/a.txt"))
        .answer(read("b", "web/b.txt"));
    fs::create_dir(daemon.project().join("web")).unwrap();
    for name in ["a", "b"] {
        daemon.write_project_file(&format!("web/{name}.txt"), "text\n");
    }
    daemon.write_project_file("web/AGENTS.md", "Use the design system.\n");
    daemon.spawn().await;
    let mut talk = Talk::on(&daemon).await;
    talk.turn("look").await;
    let told: Vec<bool> = last(&model)
        .iter()
        .map(|text| text.contains("Use the design system."))
        .collect();
    // system, user, call, result, call, result
    assert_eq!(told, [false, false, false, true, false, false]);
}

#[tokio::test]
async fn a_projects_skill_is_listed_and_loaded_once_it_is_trusted() {
    let (mut daemon, model) = answering().await;
    write_skill(&daemon.home().join("skills"), "commit", "Commit like this.");
    let skills = daemon.project().join(".scorel/skills");
    write_skill(&skills, "deploy", "Deploy to $ARGUMENTS.");
    daemon.spawn().await;
    let mut talk = Talk::on(&daemon).await;
    talk.turn("one").await;
    let listed = last(&model).pop().unwrap();
    assert!(listed.contains("- commit: About commit"), "{listed}");
    assert!(!listed.contains("deploy"), "{listed}");

    let run = async |arguments: &[&str]| {
        let output = scorelctl(&daemon, arguments, &[]).await;
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), text)
    };
    let (_, shown) = run(&["skills"]).await;
    assert!(
        shown.contains("commit                user    available"),
        "{shown}"
    );
    assert!(
        shown.contains("deploy                project untrusted"),
        "{shown}"
    );
    let (_, shown) = run(&["trust"]).await;
    assert!(
        shown.contains("skill:deploy                untrusted"),
        "{shown}"
    );
    assert!(
        shown.contains("    SKILL.md\n    parts/more.md\n"),
        "{shown}"
    );
    assert_eq!(run(&["trust", "add", "skill:missing"]).await.0, Some(3));
    let (code, shown) = run(&["trust", "add", "skill:deploy"]).await;
    assert_eq!(code, Some(0), "{shown}");
    assert!(
        shown.contains("skill:deploy                trusted"),
        "{shown}"
    );

    let call = |id: &str, name: &str, arguments: Value| {
        let chat = ScriptedChat::default().tool_call(id, name, &arguments.to_string());
        chat.finish("tool_calls").usage(1, 1)
    };
    let load = json!({ "name": "deploy", "args": "staging" });
    let read = json!({ "path": "@skill/deploy/parts/more.md" });
    model
        .answer(call("a", "Skill", load))
        .answer(call("b", "Read", read));
    let events = talk.turn("two").await;
    assert!(!types(&events).contains(&"permission_request"));
    let seen = last(&model);
    let all = seen.join("\n");
    assert!(
        all.contains("Skills that are new or have changed:\n\n- deploy"),
        "{all}"
    );
    assert!(all.contains("Deploy to staging."), "{all}");
    assert!(seen.last().unwrap().contains("more about deploy"), "{all}");

    write_skill(&skills, "deploy", "Deploy somewhere else.");
    let again = json!({ "name": "deploy" });
    model.answer(call("c", "Skill", again));
    talk.turn("three").await;
    let all = last(&model).join("\n");
    assert!(
        all.contains("Skills that you cannot load any more: deploy"),
        "{all}"
    );
    assert!(
        all.contains("has changed since the user trusted it"),
        "{all}"
    );
    let (_, shown) = run(&["trust"]).await;
    assert!(shown.contains("    modified  SKILL.md\n"), "{shown}");
    let (code, _) = run(&["trust", "remove", "skill:deploy"]).await;
    assert_eq!(code, Some(0));
    let (_, shown) = run(&["--json", "trust"]).await;
    let shown: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(shown["items"][0]["state"], "untrusted");
}
