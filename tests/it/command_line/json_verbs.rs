//! What each verb prints with `--json`. Scripts rely on it: fields are only added.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::json_scene::JsonScene;
use super::verbs;
use crate::runs::write_package;
use crate::under_test::indexed;

const REWRITE: &str = "SCOREL_REWRITE_GOLDENS";

/// Verbs that print no JSON, and why.
const WITHOUT: [(&str, &str); 3] = [
    ("attach", "it is for people, and says so"),
    ("stdio", "it passes on what the daemon says"),
    ("acp", "it speaks the protocol of editors"),
];

fn directory() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/golden/cli"))
}

#[tokio::test]
async fn the_json_of_every_verb_has_the_shape_of_its_golden() {
    let mut scene = JsonScene::new().await;
    projects(&mut scene).await;
    let session = conversation(&mut scene).await;
    queue(&mut scene).await;
    questions(&mut scene).await;
    travel(&mut scene).await;
    agents(&mut scene).await;
    files_of_sessions(&mut scene, &session).await;
    keeping(&mut scene).await;
    runs(&mut scene).await;
    home(&mut scene).await;
    let seen: BTreeSet<String> = scene.verbs().map(str::to_owned).collect();
    for verb in verbs() {
        let without = WITHOUT.iter().any(|(name, _)| *name == verb);
        assert!(
            seen.contains(&verb) != without,
            "`{verb}` has no golden: run it in this test"
        );
    }
    scene.check(&directory(), std::env::var_os(REWRITE).is_some());
}

#[test]
fn no_golden_is_left_of_a_verb_that_is_gone() {
    let verbs = verbs();
    let Ok(goldens) = fs::read_dir(directory()) else {
        return;
    };
    for entry in goldens {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let verb = name.trim_end_matches(".json").to_owned();
        assert!(verbs.contains(&verb), "{name}");
    }
}

async fn projects(scene: &mut JsonScene) {
    scene.run("projects", &[]).await;
    scene.run("projects add --name parser", &[]).await;
    scene.run("projects rename parser lexer", &[]).await;
    scene.run("projects remove nothing", &[]).await;
    scene.run("projects", &[]).await;
}

/// Returns the id of the session.
async fn conversation(scene: &mut JsonScene) -> String {
    scene.calls("Write", &json!({"path": "new.txt", "content": "one\n"}));
    let sent = scene.run("send --session new hello", &[]).await;
    scene.run("send --detach again", &[]).await;
    for line in [
        "wait",
        "tail --no-follow",
        "show",
        "show --last 1",
        "show --prompt",
        "sessions",
        "sessions --all nothing",
        "search hello",
        "tree",
        "context",
        "usage",
        "usage --by session",
        "usage --by model",
        "status",
        "status --short",
        "models --offline",
        "call getStatus",
        "call getStaus",
        "files",
        "files restore --dry-run --all",
        "files restore --all",
        "files undo",
        "compact",
        "cancel",
        "end-wait",
        "steer more",
        "wait",
        "skills",
        "ext list",
        "ext restart nothing",
        "ext logs nothing",
        "workflow list",
        "workflow check nothing",
        "workflow import nothing",
        "mcp list",
        "mcp add probe -- /bin/false",
        "mcp add Probe -- /bin/false",
        "mcp tools nothing",
        "mcp login nothing",
        "mcp logout nothing",
        "channels list",
        "channels fire nothing",
        "hooks list",
        "hooks test guard",
        "trust",
        "runners",
        "runners check scorel",
        "runners contexts",
        "runners forget scorel",
    ] {
        if line.starts_with("search") {
            indexed(&scene.daemon).await;
        }
        scene.run(line, &[]).await;
    }
    text(&sent, "sessionId")
}

async fn queue(scene: &mut JsonScene) {
    for line in [
        "queue",
        "queue add --hold later",
        "queue add --hold even later",
        "queue",
        "queue edit 1 sooner",
        "queue move 2 1",
        "queue convert 1 steer",
        "queue remove 1",
        "queue pause",
        "queue clear",
        "queue resume",
    ] {
        scene.run(line, &[]).await;
    }
}

async fn questions(scene: &mut JsonScene) {
    scene.run("approve", &[]).await;
    scene.calls("Bash", &json!({"command": "rm -rf x"}));
    scene.run("send --detach --on-ask wait clean", &[]).await;
    scene.run("wait --for question", &[]).await;
    let open = scene.run("approve", &[]).await;
    let request = text(&open, "requestId");
    scene
        .run("approve --deny REQUEST", &[("REQUEST", &request)])
        .await;
    scene.run("wait", &[]).await;
}

async fn travel(scene: &mut JsonScene) {
    let tree = scene.run("tree", &[]).await;
    let leaf = tree
        .iter()
        .find_map(|it| it["activeLeafId"].as_str())
        .map(str::to_owned);
    scene.run("rewind", &[]).await;
    scene.run("rewind --files=all --dry-run", &[]).await;
    let leaf = leaf.unwrap_or_else(|| text(&tree, "id"));
    scene.run("branch EVENT", &[("EVENT", &leaf)]).await;
    scene.run("resend", &[]).await;
    scene.run("clone", &[]).await;
}

async fn agents(scene: &mut JsonScene) {
    scene.run("agents", &[]).await;
    scene
        .run("agents set reviewer --default-quota 2", &[])
        .await;
    scene.run("agents quota reviewer 1", &[]).await;
    scene.run("spawn --wait reviewer look", &[]).await;
    let listed = scene.run("runtimes", &[]).await;
    let runtime = text(&listed, "runtimeId");
    scene
        .run("runtimes show RUNTIME", &[("RUNTIME", &runtime)])
        .await;
    scene
        .run("runtimes move RUNTIME 1", &[("RUNTIME", &runtime)])
        .await;
    scene
        .run("runtimes stop RUNTIME", &[("RUNTIME", &runtime)])
        .await;
    scene.run("graph", &[]).await;
    scene.run("worktrees", &[]).await;
    scene
        .run("worktrees remove RUNTIME", &[("RUNTIME", &runtime)])
        .await;
}

async fn runs(scene: &mut JsonScene) {
    write_package(&scene.daemon.home().join("workflows/notes"), "1.0.0");
    scene.run("run list", &[]).await;
    scene.run("run start nothing --yes", &[]).await;
    let started = scene.run("run start notes --yes", &[]).await;
    let (run, session) = (text(&started, "runId"), text(&started, "sessionId"));
    let given = [("RUN", run.as_str()), ("SESSION", session.as_str())];
    for line in [
        "wait --session SESSION",
        "run list",
        "run show RUN",
        "run goto RUN write",
        "run goto RUN nowhere",
        "run set RUN --mode chat",
        "run set RUN --mode run --autopilot false",
        "run rebind RUN",
        "run repair RUN",
        "run resume RUN --new-session",
    ] {
        scene.run(line, &given).await;
    }
    let found = scene.run("run show RUN", &given).await;
    let session = found[0]["run"]["sessionId"].as_str().unwrap().to_owned();
    scene
        .run("wait --session SESSION", &[("SESSION", &session)])
        .await;
    scene.run("run rm RUN", &given).await;
    scene.run("run show RUN", &given).await;
    scene.run("run watch RUN", &given).await;
}

async fn files_of_sessions(scene: &mut JsonScene, session: &str) {
    let given = [("SESSION", session)];
    let bundle = "export --session SESSION --format bundle --output x.tar.gz";
    scene.run(bundle, &given).await;
    let records = "export --session SESSION --format jsonl --output -";
    scene.run(records, &given).await;
    scene.run("import x.tar.gz", &[]).await;
}

async fn keeping(scene: &mut JsonScene) {
    scene.run("rename another title", &[]).await;
    scene.run("archive", &[]).await;
    scene.run("archive --undo", &[]).await;
    scene.run("delete --yes", &[]).await;
    scene.run("sessions --deleted", &[]).await;
    scene.run("undelete", &[]).await;
    scene.run("delete --yes --now", &[]).await;
    scene.run("gc", &[]).await;
    scene.run("gc --apply", &[]).await;
}

async fn home(scene: &mut JsonScene) {
    for line in [
        "commands",
        "exit-codes",
        "completions bash",
        "config show",
        "config get runtime.maxSteps",
        "config set runtime.maxSteps 9",
        "config unset runtime.maxSteps",
        "config check",
        "config get nothing",
        "config dance",
        "mcp import",
        "mcp remove nothing",
        "doctor",
        "service status",
        "remote list",
        "remote add ssh:build",
        "remote list",
        "remote remove build",
        "remote remove build",
        "logs",
        "restart",
        "stop",
        "stop",
        "fsck",
        "init --provider demo --yes --force",
        "stop",
    ] {
        scene.run(line, &[]).await;
    }
}

/// The first text under this key, wherever it is.
fn text(lines: &[Value], key: &str) -> String {
    fn find(value: &Value, key: &str) -> Option<String> {
        match value {
            Value::Object(fields) => match fields.get(key) {
                Some(Value::String(text)) => Some(text.clone()),
                _ => fields.values().find_map(|value| find(value, key)),
            },
            Value::Array(items) => items.iter().find_map(|item| find(item, key)),
            _ => None,
        }
    }
    let found = lines.iter().find_map(|line| find(line, key));
    found.unwrap_or_else(|| panic!("no {key} in {lines:?}"))
}
