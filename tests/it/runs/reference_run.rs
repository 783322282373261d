//! The scripted run of `docs/workflows/create-story`, with the real daemon.

use std::fs;
use std::path::{Path, PathBuf};

use scorel_proto::{CheckWorkflow, CheckWorkflowParams, ResumeRun, ResumeRunParams};
use scorel_testkit::{ResponseGate, ScriptedChat, ScriptedResponse};
use serde_json::{Value, json};

use super::scene::{RunScene, StartedScene};
use crate::under_test::connect;

const SCRIPT: &str = include_str!("../../workflows/create-story.json");

/// The run, as the data say: calls of the model in their order, and what it finds in the project.
struct Script {
    workflow: String,
    autopilot: bool,
    input: String,
    project: Vec<ProjectFile>,
    calls: Vec<ModelCall>,
}

struct ProjectFile {
    path: String,
    kib: usize,
    begins: String,
}

struct ModelCall {
    id: String,
    told: Vec<String>,
    says: Option<String>,
    calls: Vec<ToolCall>,
    /// The node, and the completed ones, behind it.
    node: String,
    completed: Vec<String>,
}

struct ToolCall {
    id: String,
    name: String,
    input: Value,
    error: Option<String>,
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

fn list<T>(value: &Value, field: &str, of: fn(&Value) -> T) -> Vec<T> {
    value[field].as_array().unwrap().iter().map(of).collect()
}

fn word(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

impl Script {
    fn read() -> Self {
        let script: Value = serde_json::from_str(SCRIPT).unwrap();
        Self {
            workflow: text(&script, "workflow"),
            autopilot: script["autopilot"] == true,
            input: text(&script, "input"),
            project: list(&script, "project", |file| ProjectFile {
                path: text(file, "path"),
                kib: usize::try_from(file["kib"].as_u64().unwrap()).unwrap(),
                begins: text(file, "begins"),
            }),
            calls: list(&script, "calls", ModelCall::read),
        }
    }
}

impl ModelCall {
    fn read(call: &Value) -> Self {
        let optional = |value: &Value| value.as_str().map(str::to_owned);
        Self {
            id: text(call, "id"),
            told: list(call, "told", word),
            says: optional(&call["says"]),
            calls: list(call, "calls", |call| ToolCall {
                id: text(call, "id"),
                name: text(call, "name"),
                input: call["input"].clone(),
                error: call["error"].as_str().map(str::to_owned),
            }),
            node: text(&call["after"], "currentNodeId"),
            completed: list(&call["after"], "stepsCompleted", word),
        }
    }

    fn answer(&self) -> ScriptedResponse {
        let mut chat = ScriptedChat::default();
        if let Some(text) = &self.says {
            chat = chat.text(text);
        }
        for call in &self.calls {
            chat = chat.tool_call(&call.id, &call.name, &call.input.to_string());
        }
        let reason = if self.calls.is_empty() {
            "stop"
        } else {
            "tool_calls"
        };
        chat.finish(reason).into()
    }
}

/// The text that a part with this name in the script has.
fn head(told: &str) -> String {
    let (part, of) = told.split_once(' ').unwrap();
    match part {
        "RUN_DIRECTIVE" => format!("RUN_DIRECTIVE\n- runType: bmad-micro\n- intent: {of}\n"),
        "NODE_BRIEF" => format!("NODE_BRIEF\n- currentNodeId: {of}\n"),
        "AGENT_PERSONA" => format!("AGENT_PERSONA\n- agentId: {of}\n"),
        "USER_INPUT" => format!("USER_INPUT\n- forNodeId: {of}\n"),
        other => panic!("{other}"),
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &target),
            false => drop(fs::copy(&path, &target).unwrap()),
        }
    }
}

fn package() -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../docs/workflows/create-story"
    ))
}

/// The package, installed, and the files of the project, with the answers of the model before call `until`.
async fn staged(script: &Script, until: usize) -> RunScene {
    let scene = RunScene::without_package().await;
    let installed = scene.daemon.home().join("workflows").join(&script.workflow);
    copy(&package(), &installed);
    for file in &script.project {
        let mut text = file.begins.clone();
        while text.len() < file.kib * 1024 {
            text.push_str("One more line of many, which says nothing.\n");
        }
        let path = scene.daemon.project().join(&file.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    for call in &script.calls[..until] {
        scene.model.answer(call.answer());
    }
    scene
}

/// Starts the run, and answers what it asks.
async fn started<'a>(script: &Script, scene: &'a RunScene) -> StartedScene<'a> {
    let check = CheckWorkflowParams {
        workflow: Some(script.workflow.clone()),
        ..CheckWorkflowParams::default()
    };
    let checked = scene.call::<CheckWorkflow>(&check).await;
    let mut params = scene.plan_of(&script.workflow, checked.digest.unwrap());
    params.autopilot = Some(script.autopilot);
    let mut started = scene.start_with(&params).await;
    started.until("WaitingUser", "question").await;
    started.send(&script.input).await;
    started
}

/// The daemon is killed while the model answers, and nothing of the run is left but its document and its package.
async fn the_document_is_enough(at: usize) {
    let script = Script::read();
    let mut scene = staged(&script, at).await;
    let gate = ResponseGate::new();
    let lost = ScriptedChat::default().wait(&gate).text("Lost.");
    scene.model.answer(lost.finish("stop"));
    let (run_id, session) = {
        let started = started(&script, &scene).await;
        gate.reached().await;
        (started.run_id, started.session_id)
    };
    scene.daemon.kill().await;
    gate.open();
    let home = scene.daemon.home();
    fs::remove_dir_all(home.join("sessions").join(session.to_string())).unwrap();
    fs::remove_file(home.join("runs").join(run_id.to_string()).join("run.json")).unwrap();
    scene.daemon.spawn().await;
    scene.client = connect(&scene.daemon.socket()).await;
    let reads = json!({"path": "@state/workflow.md"}).to_string();
    let reads = ScriptedChat::default().tool_call("again", "fs_read", &reads);
    scene.model.answer(reads.finish("tool_calls"));
    for call in &script.calls[at..] {
        scene.model.answer(call.answer());
    }
    let params = ResumeRunParams {
        run_id,
        new_session: None,
        variables: None,
        input: None,
        command_id: None,
    };
    let resumed = scene.call::<ResumeRun>(&params).await;
    let mut resumed = scene.follow(resumed).await;
    resumed.until("Completed", "end_reached").await;
    let last = script.calls.last().unwrap();
    let found = scene.get(run_id).await;
    assert_eq!(found.steps_completed, last.completed, "killed at {at}");
    let written = script.calls.iter().flat_map(|it| &it.calls);
    for call in written.filter(|it| it.name == "fs_write") {
        let path = call.input["path"].as_str().unwrap();
        let path = path.strip_prefix("@project/").unwrap();
        let text = fs::read_to_string(scene.daemon.project().join(path)).unwrap();
        assert_eq!(text, call.input["content"], "{path}");
    }
}

#[tokio::test]
async fn a_run_that_was_killed_at_its_second_node_comes_to_its_end() {
    the_document_is_enough(3).await;
}

#[tokio::test]
async fn a_run_that_was_killed_in_the_middle_comes_to_its_end() {
    the_document_is_enough(5).await;
}

#[tokio::test]
async fn a_run_that_was_killed_at_its_last_node_comes_to_its_end() {
    the_document_is_enough(7).await;
}

#[tokio::test]
async fn the_reference_run_comes_to_its_end() {
    let script = Script::read();
    let scene = staged(&script, script.calls.len()).await;
    let mut started = started(&script, &scene).await;
    started.until("Completed", "end_reached").await;

    let requests: Vec<Value> = scene.model.requests().iter().map(|it| it.json()).collect();
    assert_eq!(requests.len(), script.calls.len());
    let mut known: Vec<Value> = Vec::new();
    for (request, call) in requests.iter().zip(&script.calls) {
        let messages = request["messages"].as_array().unwrap();
        assert_eq!(
            messages[..known.len()],
            known,
            "{}: the prefix stays",
            call.id
        );
        let new = Value::from(messages[known.len()..].to_vec()).to_string();
        for told in &call.told {
            let text = Value::from(head(told)).to_string();
            assert!(
                new.contains(text.trim_matches('"')),
                "{}: no {told} in {new}",
                call.id
            );
        }
        assert_eq!(request["tools"], requests[0]["tools"], "{}", call.id);
        known.clone_from(messages);
    }
    let log = scene.daemon.log(&started.session_id.to_string());
    let result = |id: &str| {
        let of_it = |it: &&Value| it["message"]["content"][0]["toolUseId"] == id;
        let found = log
            .iter()
            .find(of_it)
            .unwrap_or_else(|| panic!("no result of {id}"));
        found["message"]["content"][0].to_string()
    };
    for call in script.calls.iter().flat_map(|it| &it.calls) {
        let text = result(&call.id);
        match &call.error {
            Some(code) => assert!(text.contains(code), "{}: {text}", call.id),
            None => assert!(text.contains("\\\"ok\\\":true"), "{}: {text}", call.id),
        }
    }
    let last = script.calls.last().unwrap();
    let found = scene.get(started.run_id).await;
    assert_eq!(found.run.node_id, last.node);
    assert_eq!(found.steps_completed, last.completed);
    let states = scene.records(started.session_id, "workflow.state");
    let of_calls = states.iter().filter(|it| it["cause"] == "patch");
    assert_eq!(of_calls.count(), last.completed.len());
}
