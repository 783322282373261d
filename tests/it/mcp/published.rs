//! Published servers, as they are: `tests/mcp` pins them. Each of their tools is called once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::json;
use tokio::process::Command;

use super::offers::{commands, run};
use super::scene::Scene;
use crate::under_test::{git, until};

/// A tool, its arguments, and a part of the result. `DIR` is the project.
type Call = (&'static str, &'static str, &'static str);

const EVERYTHING: [Call; 12] = [
    ("echo", r#"{"message": "hi"}"#, "Echo: hi"),
    (
        "get-annotated-message",
        r#"{"messageType": "error", "includeImage": true}"#,
        "Operation failed",
    ),
    ("get-env", "{}", "PATH"),
    (
        "get-resource-links",
        r#"{"count": 2}"#,
        "demo://resource/dynamic/blob/1",
    ),
    (
        "get-resource-reference",
        r#"{"resourceType": "Text", "resourceId": 1}"#,
        "This is a plaintext resource",
    ),
    (
        "get-structured-content",
        r#"{"location": "Chicago"}"#,
        "Light rain",
    ),
    ("get-sum", r#"{"a": 2, "b": 3}"#, "The sum of 2 and 3 is 5."),
    ("get-tiny-image", "{}", "the image you requested"),
    (
        "gzip-file-as-resource",
        r#"{"name": "a.gz", "data": "data:text/plain,hello", "outputType": "resource"}"#,
        "application/gzip",
    ),
    ("toggle-simulated-logging", "{}", "Started simulated"),
    ("toggle-subscriber-updates", "{}", "Started simulated"),
    (
        "trigger-long-running-operation",
        r#"{"duration": 1, "steps": 2}"#,
        "Long running operation completed",
    ),
];

const FILESYSTEM: [Call; 14] = [
    (
        "write_file",
        r#"{"path": "DIR/a.txt", "content": "one"}"#,
        "Successfully wrote",
    ),
    ("read_file", r#"{"path": "DIR/a.txt"}"#, "one"),
    ("read_text_file", r#"{"path": "DIR/a.txt"}"#, "one"),
    ("read_media_file", r#"{"path": "DIR/a.txt"}"#, ""),
    ("read_multiple_files", r#"{"paths": ["DIR/a.txt"]}"#, "one"),
    (
        "edit_file",
        r#"{"path": "DIR/a.txt", "edits": [{"oldText": "one", "newText": "two"}]}"#,
        "+two",
    ),
    (
        "create_directory",
        r#"{"path": "DIR/sub"}"#,
        "Successfully created",
    ),
    ("list_directory", r#"{"path": "DIR"}"#, "[FILE] a.txt"),
    ("list_directory_with_sizes", r#"{"path": "DIR"}"#, "a.txt"),
    ("directory_tree", r#"{"path": "DIR"}"#, "a.txt"),
    (
        "move_file",
        r#"{"source": "DIR/a.txt", "destination": "DIR/b.txt"}"#,
        "Successfully moved",
    ),
    (
        "search_files",
        r#"{"path": "DIR", "pattern": "b.txt"}"#,
        "b.txt",
    ),
    ("get_file_info", r#"{"path": "DIR/b.txt"}"#, "isFile: true"),
    ("list_allowed_directories", "{}", "Allowed directories"),
];

const MEMORY: [Call; 9] = [
    (
        "create_entities",
        r#"{"entities": [{"name": "bee", "entityType": "insect", "observations": ["hums"]}, {"name": "hive", "entityType": "home", "observations": []}]}"#,
        "bee",
    ),
    (
        "create_relations",
        r#"{"relations": [{"from": "bee", "to": "hive", "relationType": "lives in"}]}"#,
        "lives in",
    ),
    (
        "add_observations",
        r#"{"observations": [{"entityName": "bee", "contents": ["flies"]}]}"#,
        "flies",
    ),
    ("search_nodes", r#"{"query": "hums"}"#, "bee"),
    ("open_nodes", r#"{"names": ["bee"]}"#, "insect"),
    (
        "delete_observations",
        r#"{"deletions": [{"entityName": "bee", "observations": ["hums"]}]}"#,
        "deleted",
    ),
    (
        "delete_relations",
        r#"{"relations": [{"from": "bee", "to": "hive", "relationType": "lives in"}]}"#,
        "deleted",
    ),
    ("delete_entities", r#"{"entityNames": ["hive"]}"#, "deleted"),
    ("read_graph", "{}", "flies"),
];

const TIME: [Call; 2] = [
    ("get_current_time", r#"{"timezone": "UTC"}"#, "datetime"),
    (
        "convert_time",
        r#"{"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}"#,
        "+9.0h",
    ),
];

const GIT: [Call; 12] = [
    ("git_status", r#"{"repo_path": "DIR"}"#, "new.txt"),
    (
        "git_add",
        r#"{"repo_path": "DIR", "files": ["new.txt"]}"#,
        "staged",
    ),
    ("git_diff_staged", r#"{"repo_path": "DIR"}"#, "+fresh"),
    ("git_reset", r#"{"repo_path": "DIR"}"#, "reset"),
    ("git_diff_unstaged", r#"{"repo_path": "DIR"}"#, "Unstaged"),
    (
        "git_commit",
        r#"{"repo_path": "DIR", "message": "more"}"#,
        "commit",
    ),
    ("git_log", r#"{"repo_path": "DIR"}"#, "first"),
    (
        "git_create_branch",
        r#"{"repo_path": "DIR", "branch_name": "side"}"#,
        "side",
    ),
    (
        "git_checkout",
        r#"{"repo_path": "DIR", "branch_name": "side"}"#,
        "side",
    ),
    (
        "git_show",
        r#"{"repo_path": "DIR", "revision": "HEAD"}"#,
        "first",
    ),
    (
        "git_diff",
        r#"{"repo_path": "DIR", "target": "HEAD"}"#,
        "Diff",
    ),
    (
        "git_branch",
        r#"{"repo_path": "DIR", "branch_type": "local"}"#,
        "side",
    ),
];

/// A program of the packages, or `None` with the reason printed: `.ci/run` fetches them.
fn program(path: &str) -> Option<PathBuf> {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("mcp").join(path);
    if found.exists() {
        return Some(found);
    }
    assert_ne!(
        std::env::var("CI").as_deref(),
        Ok("true"),
        "{path} is missing in tests/mcp: `.ci/run` installs it"
    );
    println!("skipped: {path} is not installed");
    None
}

/// Each tool of a server is offered and called once, in one turn, and says what is expected of it.
async fn all_are_called(path: &str, arguments: &[&str], calls: &[Call]) -> Option<Scene> {
    let scene = Scene::running(&program(path)?, arguments).await;
    call_all(&scene, calls).await;
    Some(scene)
}

async fn call_all(scene: &Scene, calls: &[Call]) {
    let directory = scene.daemon.project();
    git(&directory, "init -q");
    git(
        &directory,
        "-c user.name=a -c user.email=a@b commit -q --allow-empty -m first",
    );
    for (name, value) in [("user.name", "a"), ("user.email", "a@b")] {
        git(&directory, &format!("config {name} {value}"));
    }
    std::fs::write(directory.join("new.txt"), "fresh\n").unwrap();
    let directory = directory.to_str().unwrap();
    let mut talk = scene.talk().await;
    // One that takes long to start joins at a later turn.
    for _ in 0..20 {
        talk.turn(&scene.client, "Are they there?").await;
        if !scene.offered().is_empty() {
            break;
        }
        scene.refresh(&talk).await;
    }
    for (tool, arguments, _) in calls {
        let arguments = arguments.replace("DIR", directory);
        scene.will_call(tool, &serde_json::from_str(&arguments).unwrap());
    }
    talk.turn(&scene.client, "Try all of them.").await;
    let results = scene.results();
    assert_eq!(results.len(), calls.len());
    for ((tool, _, part), result) in calls.iter().zip(results) {
        assert!(result.contains(part), "{tool}: {result}");
        assert!(!result.starts_with("\"E_"), "{tool}: {result}");
    }
    let names = calls.iter().map(|(tool, ..)| format!("mcp__fake__{tool}"));
    let offered: BTreeSet<String> = scene.offered().into_iter().collect();
    assert_eq!(offered, names.collect::<BTreeSet<_>>());
}

#[tokio::test]
async fn everything() {
    let path = "node_modules/.bin/mcp-server-everything";
    let Some(scene) = all_are_called(path, &[], &EVERYTHING).await else {
        return;
    };
    let results = scene.results();
    assert!(
        !results[2].contains("canary"),
        "it sees no key: {}",
        results[2]
    );
    let body = scene.model.requests().last().unwrap().json().to_string();
    assert!(
        body.contains("data:image/png;base64,"),
        "the model sees the picture"
    );
    has_prompts_resources_and_instructions(&scene).await;
}

/// The prompts, resources and instructions of `everything`.
async fn has_prompts_resources_and_instructions(scene: &Scene) {
    let mut talk = scene.talk().await;
    for (name, typed, part) in [
        (
            "simple-prompt",
            "",
            "This is a simple prompt without arguments.",
        ),
        (
            "args-prompt",
            "Nairobi state=Kenya",
            "What's weather in Nairobi, Kenya?",
        ),
        (
            "completable-prompt",
            "Sales Eve",
            "promote Eve to the head of the Sales team",
        ),
        ("resource-prompt", "Text 1", "This is a plaintext resource"),
    ] {
        let name = format!("mcp__fake__{name}");
        run(&scene.client, talk.id, &name, typed).await.unwrap();
        talk.until("turn_outcome").await;
        let body = scene.model.requests().last().unwrap().json().to_string();
        assert!(body.contains(part), "{name}: {body}");
    }
    let hints: Vec<_> = commands(&scene.client, talk.id).await;
    let hints: Vec<_> = hints
        .iter()
        .filter_map(|it| it.argument_hint.as_deref())
        .collect();
    assert!(hints.contains(&"<city> [state]"), "{hints:?}");
    for (uri, part) in [
        (None, "demo://resource/static/document/features.md"),
        (
            Some("demo://resource/static/document/features.md"),
            "Everything Server",
        ),
        (Some("demo://resource/dynamic/text/3"), "Resource 3"),
        (Some("demo://resource/dynamic/blob/3"), "it is kept"),
    ] {
        let resource = match uri {
            Some(uri) => json!({"server": "fake", "uri": uri}),
            None => json!({"server": "fake"}),
        };
        let read = scene.read(&mut talk, &resource).await;
        assert!(read.contains(part), "{uri:?}: {read}");
    }
    let body = scene.model.requests().last().unwrap().json().to_string();
    assert!(body.contains("# fake\\n\\n# Everything Server"), "{body}");
}

#[tokio::test]
async fn everything_over_http() {
    let Some(program) = program("node_modules/.bin/mcp-server-everything") else {
        return;
    };
    let port = {
        let free = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        free.local_addr().unwrap().port()
    };
    let _server = Command::new(program)
        .arg("streamableHttp")
        .env("PORT", port.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let is_there = || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok();
    until(is_there).await;
    let entry = format!("url = \"http://127.0.0.1:{port}/mcp\"\n");
    let scene = Scene::start("mode = \"full\"", |_| entry).await;
    call_all(&scene, &EVERYTHING).await;
    has_prompts_resources_and_instructions(&scene).await;
}

#[tokio::test]
async fn filesystem() {
    let path = "node_modules/.bin/mcp-server-filesystem";
    all_are_called(path, &["."], &FILESYSTEM).await;
}

#[tokio::test]
async fn memory() {
    let path = "node_modules/.bin/mcp-server-memory";
    all_are_called(path, &[], &MEMORY).await;
}

#[tokio::test]
async fn time() {
    all_are_called("python/bin/mcp-server-time", &[], &TIME).await;
}

#[tokio::test]
async fn the_state_of_a_repository() {
    all_are_called("python/bin/mcp-server-git", &[], &GIT).await;
}
