//! What builds and development servers need, with the real programs.

use std::fs;
use std::path::Path;

use libtest_mimic::Trial;
use scorel_engine::CommandAccess;
use serde_json::json;

use crate::session::{Session, ToolAnswer};
use crate::trial;
use crate::worktrees::trees;

const WORKSPACE: CommandAccess = CommandAccess::Workspace { network: false };
const NETWORK: CommandAccess = CommandAccess::Workspace { network: true };

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "builds::a_development_server_answers_the_next_command",
            server,
        ),
        trial(
            "builds::a_development_server_answers_no_other_session",
            other_session,
        ),
        trial("builds::readonly_commands_meet_it_too", readonly),
        trial(
            "builds::a_space_whose_holder_was_killed_is_replaced",
            killed_holder,
        ),
        trial("builds::cargo_builds_in_a_linked_work_tree", cargo),
        trial("builds::npm_installs_from_the_registry", npm),
        trial("builds::npx_keeps_what_it_downloaded", npx),
        trial("builds::pytest_runs_with_multiprocessing", pytest),
        trial("builds::unpacked_sources_are_read_only", sources),
        trial(
            "builds::a_download_adds_sources_and_changes_none",
            downloads,
        ),
    ]
}

fn succeeded(answer: &ToolAnswer) {
    assert!(!answer.is_error, "{answer:?}");
    assert!(answer.details.get("unprotected").is_none(), "{answer:?}");
}

/// Returns whether a command succeeds outside of the sandbox. Otherwise the test is skipped, with the reason.
async fn is_possible(what: &str, session: &Session, script: &str) -> bool {
    let call = json!({ "command": script });
    let answer = session
        .call_granted("Bash", call, CommandAccess::Full)
        .await;
    if answer.is_error {
        println!("skipped: {what}: {}", answer.text);
    }
    !answer.is_error
}

/// Starts a server in the background, with a file to serve.
async fn serving(session: &Session, project: &str) {
    fs::write(session.path(project).join("page"), "served\n").unwrap();
    let command = "python3 -u -m http.server 8765 --bind 127.0.0.1";
    let answer = session
        .call("Bash", json!({ "command": command, "background": true }))
        .await;
    succeeded(&answer);
}

/// Waits for the server by trying again.
const FETCH: &str =
    "curl -sS --retry 30 --retry-delay 1 --retry-connrefused http://localhost:8765/page";

async fn server() {
    let session = Session::at(trees(), "linked", WORKSPACE, |_| {});
    serving(&session, "linked").await;
    let answer = session.bash(FETCH).await;
    succeeded(&answer);
    assert!(answer.text.ends_with("served\n"), "{answer:?}");
    let answer = session
        .bash(&format!(
            "echo x > /dev/shm/x; {FETCH}; curl -sS -m 5 http://1.1.1.1"
        ))
        .await;
    assert!(
        answer.is_error && answer.text.contains("served\n"),
        "{answer:?}"
    );
    let answer = session.bash("cat /dev/shm/x").await;
    assert_eq!(answer.text, "x\n", "{answer:?}");
    let holder = format!("/proc/{}", holder_of(&session).await);
    let answer = session.call("BashStop", json!({ "id": "bash_1" })).await;
    succeeded(&answer);
    assert!(!Path::new(&holder).exists(), "an idle session has none");
    let answer = session
        .bash("cat /dev/shm/x; curl -sS http://localhost:8765/page")
        .await;
    assert!(
        answer.is_error && !answer.text.contains("served"),
        "{answer:?}"
    );
    assert!(answer.text.contains("No such file"), "{answer:?}");
}

async fn other_session() {
    let (one, other) = (Session::new(), Session::new());
    serving(&one, "project").await;
    serving(&other, "project").await;
    fs::write(other.path("project/page"), "of the other\n").unwrap();
    let answer = one.bash(FETCH).await;
    assert!(answer.text.ends_with("served\n"), "{answer:?}");
    let answer = other.bash(FETCH).await;
    assert!(
        answer.text.ends_with("of the other\n"),
        "the same port twice: {answer:?}"
    );
}

async fn readonly() {
    let session = Session::new();
    serving(&session, "project").await;
    let call = json!({ "command": FETCH });
    let answer = session
        .call_granted("Bash", call, CommandAccess::Readonly)
        .await;
    assert!(answer.text.ends_with("served\n"), "{answer:?}");
}

async fn killed_holder() {
    let session = Session::new();
    serving(&session, "project").await;
    // Outside the sandbox, a command can kill the user's processes.
    let holder = "H=$(cat page.pid)";
    fs::write(session.path("project/page.pid"), holder_of(&session).await).unwrap();
    let kill = format!(
        "{holder}; kill -9 $H; while kill -0 $H; do grep -q Z /proc/$H/stat && break; done; true"
    );
    session
        .call_granted("Bash", json!({ "command": kill }), CommandAccess::Full)
        .await;
    let answer = session.bash("echo ran").await;
    assert_eq!(answer.text, "ran\n", "{answer:?}");
}

/// The process id of the holder of the session's space: it has its network, and is a child of this
/// process.
async fn holder_of(session: &Session) -> String {
    let own = std::process::id();
    let find = "readlink /proc/self/ns/net";
    let network = session.bash(find).await.text;
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_holder = |pid: &u32| {
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let link = fs::read_link(format!("/proc/{pid}/ns/net")).unwrap_or_default();
        line.contains("--hold-space")
            && status.contains(&format!("PPid:\t{own}\n"))
            && link.to_str() == Some(network.trim())
    };
    let found: Vec<u32> = pids.filter(is_holder).collect();
    let [holder] = found[..] else {
        panic!("one holder expected: {found:?} {network}");
    };
    holder.to_string()
}

async fn cargo() {
    let session = Session::at(trees(), "linked", WORKSPACE, |_| {});
    if !is_possible("cargo", &session, "cargo --version").await {
        return;
    }
    let answer = session
        .bash(
            "set -e; cargo init -q --name sample . && cargo test -q --offline && cargo run -q --offline
             git add -A; git -c user.name=n -c user.email=e commit -qm sample; git status --short | wc -l",
        )
        .await;
    succeeded(&answer);
    assert!(answer.text.ends_with("Hello, world!\n0\n"), "{answer:?}");
}

const MODULE: &str = "is-number@7.0.0";

async fn npm() {
    let session = Session::at(trees(), "linked", WORKSPACE, |_| {});
    let view = format!("npm view {MODULE} version");
    if !is_possible("npm", &session, &view).await {
        return;
    }
    let install = format!(
        "echo '{{\"name\":\"app\",\"version\":\"1.0.0\"}}' > package.json
         npm install --no-audit --no-fund --omit-lockfile-registry-resolved=false {MODULE} && node -e 'console.log(require(\"is-number\")(5))'"
    );
    let answer = session
        .call_granted("Bash", json!({ "command": install }), NETWORK)
        .await;
    assert!(answer.text.ends_with("true\n"), "{answer:?}");
    let again = "rm -rf node_modules && npm ci --offline --no-audit --no-fund && node -e 'console.log(require(\"is-number\")(5))'";
    let answer = session.bash(again).await;
    succeeded(&answer);
    assert!(answer.text.ends_with("true\n"), "{answer:?}");
}

async fn npx() {
    let session = Session::at(trees(), "main", WORKSPACE, |_| {});
    if !is_possible("npx", &session, "npm view semver@7.6.3 version").await {
        return;
    }
    let run = "npx --yes semver@7.6.3 1.2.3 -i minor";
    let answer = session
        .call_granted("Bash", json!({ "command": run }), NETWORK)
        .await;
    assert!(answer.text.starts_with("1.3.0\n"), "{answer:?}");
    let answer = session
        .bash("npx --yes --offline semver@7.6.3 1.2.3 -i minor")
        .await;
    succeeded(&answer);
    assert!(answer.text.ends_with("1.3.0\n"), "{answer:?}");
}

async fn pytest() {
    let session = Session::at(trees(), "linked", WORKSPACE, |_| {});
    let install = "python3 -m venv .venv && .venv/bin/pip install -q pytest";
    if !is_possible("pytest", &session, install).await {
        return;
    }
    let test = "
import multiprocessing as m

def double(n): return 2 * n

def test_pool():
    with m.Pool(2) as pool:
        assert pool.map(double, range(10)) == list(range(0, 20, 2))

def test_lock(tmp_path):
    with m.Lock(): (tmp_path / 'x').write_text('x')
";
    fs::write(session.path("linked/test_it.py"), test).unwrap();
    let answer = session.bash(".venv/bin/pytest -q").await;
    succeeded(&answer);
    assert!(answer.text.contains("2 passed"), "{answer:?}");
}

/// A session with a registry of cargo's, in which one package is unpacked.
fn with_registry() -> Session {
    let directory = trees();
    let user = directory.path().join("user");
    for name in ["cache", "index", "src/index/crate-1"] {
        fs::create_dir_all(user.join(".cargo/registry").join(name)).unwrap();
    }
    fs::write(user.join(".cargo/registry/src/index/crate-1/lib.rs"), "old").unwrap();
    Session::at(directory, "main", WORKSPACE, |_| {})
}

const CHANGE: &str = "cd ../user/.cargo/registry; echo x > cache/x; echo x > src/index/crate-1/lib.rs; \
                      rm -rf src/index/crate-1; mv src/index/crate-1 src/index/moved; mkdir src/index/crate-2; \
                      echo x > src/index/crate-2/lib.rs; true";

fn is_unchanged(session: &Session, answer: &ToolAnswer) {
    let registry = session.path("user/.cargo/registry");
    let source = fs::read_to_string(registry.join("src/index/crate-1/lib.rs")).unwrap();
    assert_eq!(source, "old", "{answer:?}");
}

async fn sources() {
    let session = with_registry();
    let answer = session.bash(CHANGE).await;
    is_unchanged(&session, &answer);
    assert!(
        !session
            .path("user/.cargo/registry/src/index/crate-2")
            .exists(),
        "{answer:?}"
    );
}

async fn downloads() {
    let session = with_registry();
    let answer = session
        .call_granted("Bash", json!({ "command": CHANGE }), NETWORK)
        .await;
    is_unchanged(&session, &answer);
    assert!(
        session
            .path("user/.cargo/registry/src/index/crate-2/lib.rs")
            .exists(),
        "{answer:?}"
    );
}
