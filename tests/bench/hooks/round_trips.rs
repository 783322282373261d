use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use scorel_testkit::DaemonUnderTest;
use serde_json::{Value, json};

use crate::bench_daemon::BenchDaemon;
use crate::figure::{Figure, Goal, rounded};
use crate::turn_stand::{TurnStand, in_turns};

/// Turns with a hook that is a command, which takes milliseconds.
const COMMANDS: usize = 300;

/// Turns with hooks that take less than the syncs of a turn differ.
const SMALL: usize = 2_000;

/// Ten hooks cost less than can be measured, so there are ten times as many.
const TIMES_TEN: usize = 10;

/// Looks at each call and has nothing against it.
const EXTENSION: &str = r#"
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": {}}
        print(json.dumps(answer), flush=True)
"#;

const MANIFEST: &str = "manifest = 1\nid = 'looks'\nname = 'Looks'\nversion = '1'\n\
    command = ['python3', 'looks.py']\n[hooks.beforeToolCall]\nmatcher = 'Read'\n";

/// Of a tool round trip with hooks, the part that is due to them.
pub(super) async fn measure(program: &Path) -> Vec<Figure> {
    vec![
        user(program).await,
        project(program).await,
        extension(program).await,
        unmatched(program).await,
    ]
}

/// A figure's name, with the milliseconds that it must and should have.
type Bounds = (&'static str, f64, f64);

/// Runs turns beside a daemon without hooks.
async fn figure(
    program: &Path,
    (name, must, aim): Bounds,
    turns: usize,
    stand: &mut TurnStand,
) -> Figure {
    let mut plain = TurnStand::new(BenchDaemon::new(program).await).await;
    in_turns(&mut plain, stand, turns).await;
    Figure {
        name,
        value: stand.tools.p50() - plain.tools.p50(),
        unit: "ms",
        goal: Goal::AtMost { must, aim },
        with: json!({
            "withoutMs": rounded(plain.tools.p50()),
            "toRequestMs": rounded(stand.requests.p50() - plain.requests.p50()),
            "turns": turns,
        }),
    }
}

async fn user(program: &Path) -> Figure {
    let bench = BenchDaemon::with(program, &hook("noop", "PreToolUse", "Read")).await;
    let mut stand = TurnStand::new(bench).await;
    let bounds = ("a user's no-op command hook, p50", 15.0, 6.0);
    let figure = figure(program, bounds, COMMANDS, &mut stand).await;
    assert_ran(&mut stand.bench).await;
    figure
}

async fn project(program: &Path) -> Figure {
    let daemon = DaemonUnderTest::new(program);
    let own = daemon.project().join(".scorel");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("config.toml"), hook("noop", "PreToolUse", "Read")).unwrap();
    let mut bench = BenchDaemon::start(daemon, "").await;
    let project = json!({"projectId": bench.project_id});
    let found = bench.client.call("getTrust", &project).await;
    let item = |it: &Value| json!({"item": it["item"], "digest": it["digest"]});
    let items: Vec<Value> = found["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(item)
        .collect();
    let trust = json!({"projectId": bench.project_id, "items": items, "trusted": true});
    bench.client.call("setTrust", &trust).await;
    let mut stand = TurnStand::new(bench).await;
    let bounds = (
        "a project's no-op command hook in its sandbox, p50",
        60.0,
        30.0,
    );
    let figure = figure(program, bounds, COMMANDS, &mut stand).await;
    assert_ran(&mut stand.bench).await;
    figure
}

async fn extension(program: &Path) -> Figure {
    let path = std::env::var("PATH").unwrap();
    let daemon = DaemonUnderTest::new(program).with_variable("PATH", &path);
    let own = daemon.home().join("extensions/looks");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("looks.py"), EXTENSION).unwrap();
    fs::write(own.join("extension.toml"), MANIFEST).unwrap();
    let mut stand = TurnStand::new(BenchDaemon::start(daemon, "").await).await;
    let bounds = ("an extension's hook, p50", 1.0, 0.4);
    let figure = figure(program, bounds, SMALL, &mut stand).await;
    let status = stand.bench.client.call("getStatus", &json!({})).await;
    assert_eq!(status["processes"][0]["state"], "ready", "{status}");
    figure
}

async fn unmatched(program: &Path) -> Figure {
    let mut hooks = String::new();
    for number in 0..5 * TIMES_TEN {
        let before = hook(&format!("before{number}"), "PreToolUse", "Bash|Write");
        let after = hook(&format!("after{number}"), "PostToolUse", "^mcp__.*");
        write!(hooks, "{before}{after}").unwrap();
    }
    let mut stand = TurnStand::new(BenchDaemon::with(program, &hooks).await).await;
    let bounds = ("10 hooks that match nothing, p50", 0.02, 0.005);
    let figure = figure(program, bounds, SMALL, &mut stand).await;
    Figure {
        value: figure.value / TIMES_TEN as f64,
        ..figure
    }
}

fn hook(name: &str, event: &str, matcher: &str) -> String {
    format!(
        "[[hooks]]\nname = '{name}'\nevent = '{event}'\nmatcher = '{matcher}'\ncommand = 'true'\n"
    )
}

/// A hook that fails, or is not run, takes no time.
async fn assert_ran(bench: &mut BenchDaemon) {
    let project = json!({"projectId": bench.project_id});
    let listed = bench.client.call("listHooks", &project).await;
    let hook = &listed["hooks"][0];
    let ran = hook["ran"].as_u64().unwrap();
    assert!(ran >= COMMANDS as u64, "{hook}");
    assert_eq!(hook["failed"], 0, "{hook}");
}
