//! The scripted run of `docs/workflows/create-story`, as data.

use std::fs;
use std::path::{Path, PathBuf};

use scorel_testkit::{DaemonUnderTest, ModelReply};
use serde_json::{Map, Value};

const SCRIPT: &str = include_str!("../../workflows/create-story.json");

/// A line of the project's files, which are filled up with it.
const FILLER: &str = "One more line of many, which says nothing.\n";

/// The run, as the data say: calls of the model in their order, and what it finds in the project.
pub(crate) struct Script {
    pub(crate) workflow: String,
    pub(crate) autopilot: bool,
    /// The answer of the person to the call that asks.
    pub(crate) input: String,
    project: Vec<ProjectFile>,
    pub(crate) calls: Vec<ModelCall>,
}

struct ProjectFile {
    path: String,
    kib: usize,
    begins: String,
}

/// A call of the model: what it is told, its answer, and what that leads to.
pub(crate) struct ModelCall {
    pub(crate) id: String,
    pub(crate) told: Vec<String>,
    says: Option<String>,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) phase: String,
    pub(crate) after: DocumentState,
}

/// The values of the document that the model changes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct DocumentState {
    pub(crate) node: String,
    pub(crate) completed: Vec<String>,
    pub(crate) variables: Map<String, Value>,
    pub(crate) artifacts: Vec<String>,
}

pub(crate) struct ToolCall {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) input: Value,
    /// The code of the error that it has.
    pub(crate) error: Option<String>,
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

fn list<T>(value: &Value, field: &str, of: fn(&Value) -> T) -> Vec<T> {
    value[field].as_array().unwrap().iter().map(of).collect()
}

fn words(value: Option<&Value>) -> Vec<String> {
    let items = value.and_then(Value::as_array).into_iter().flatten();
    items.map(|it| it.as_str().unwrap().to_owned()).collect()
}

impl Script {
    pub(crate) fn read() -> Self {
        let script: Value = serde_json::from_str(SCRIPT).unwrap();
        let mut calls = list(&script, "calls", ModelCall::read);
        let mut state = DocumentState::default();
        for call in &mut calls {
            for made in &call.calls {
                state.change(made);
            }
            // The data say these themselves.
            assert_eq!(
                (&state.node, &state.completed),
                (&call.after.node, &call.after.completed)
            );
            call.after = state.clone();
        }
        Self {
            workflow: text(&script, "workflow"),
            autopilot: script["autopilot"] == true,
            input: text(&script, "input"),
            project: list(&script, "project", |file| ProjectFile {
                path: text(file, "path"),
                kib: usize::try_from(file["kib"].as_u64().unwrap()).unwrap(),
                begins: text(file, "begins"),
            }),
            calls,
        }
    }

    /// Installs the package, and writes the files of the project.
    pub(crate) fn stage(&self, daemon: &DaemonUnderTest) {
        copy(
            &package(),
            &daemon.home().join("workflows").join(&self.workflow),
        );
        for file in &self.project {
            let mut text = file.begins.clone();
            while text.len() < file.kib * 1024 {
                text.push_str(FILLER);
            }
            let path = daemon.project().join(&file.path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    /// Checks that each file that the run writes is as its last call has left it.
    pub(crate) fn check_files(&self, daemon: &DaemonUnderTest) {
        let made = self.calls.iter().flat_map(|it| &it.calls);
        for call in made.filter(|it| it.name == "fs_write") {
            let path = call.input["path"].as_str().unwrap();
            let path = path.strip_prefix("@project/").unwrap();
            let text = fs::read_to_string(daemon.project().join(path)).unwrap();
            assert_eq!(text, call.input["content"], "{path}");
        }
    }
}

impl DocumentState {
    /// Makes of the state what a successful call makes of the document.
    fn change(&mut self, call: &ToolCall) {
        let update = &call.input["update"];
        if let Some(node) = update["currentNodeId"]["set"].as_str() {
            self.node = node.to_owned();
        }
        let appended = |field: &str| words(update[field].get("append"));
        self.completed.extend(appended("stepsCompleted"));
        self.artifacts.extend(appended("artifacts"));
        if let Some(set) = update["variables"]["set"].as_object() {
            self.variables.extend(set.clone());
        }
    }
}

impl ModelCall {
    fn read(call: &Value) -> Self {
        let optional = |value: &Value| value.as_str().map(str::to_owned);
        let after = &call["after"];
        Self {
            id: text(call, "id"),
            told: words(call.get("told")),
            says: optional(&call["says"]),
            calls: list(call, "calls", |call| ToolCall {
                id: text(call, "id"),
                name: text(call, "name"),
                input: call["input"].clone(),
                error: call["error"].as_str().map(str::to_owned),
            }),
            phase: text(after, "phase"),
            after: DocumentState {
                node: text(after, "currentNodeId"),
                completed: words(after.get("stepsCompleted")),
                ..DocumentState::default()
            },
        }
    }

    /// True if it is the last call of its turn.
    pub(crate) fn ends_turn(&self) -> bool {
        self.calls.is_empty()
    }

    pub(crate) fn reply(&self) -> ModelReply {
        let mut reply = ModelReply::default();
        if let Some(text) = &self.says {
            reply = reply.text(text);
        }
        if !self.calls.is_empty() {
            reply = reply.thinking("Let me see.");
        }
        for call in &self.calls {
            reply = reply.tool_call(&call.id, &call.name, &call.input.to_string());
        }
        reply
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
