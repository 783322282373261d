//! Commands that the sandbox stops.

use std::fs;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::process::Command;

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::session::{Session, ToolAnswer};
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("stopped::a_write_elsewhere_is_explained", a_write_elsewhere),
        trial(
            "stopped::programs_name_what_they_may_not_write_in_their_own_words",
            writes,
        ),
        trial(
            "stopped::programs_name_what_they_may_not_rename_in_their_own_words",
            renames,
        ),
        trial(
            "stopped::programs_name_a_socket_outside_in_their_own_words",
            sockets,
        ),
        trial("stopped::a_hidden_place_is_explained", a_hidden_place),
        trial("stopped::the_missing_network_is_explained", the_network),
        trial("stopped::in_the_background_too", in_the_background),
        trial("stopped::a_plain_failure_has_no_hint", a_plain_failure),
    ]
}

fn session() -> Session {
    with_elsewhere(Session::new())
}

fn with_elsewhere(session: Session) -> Session {
    fs::create_dir(session.path("elsewhere")).unwrap();
    session
}

/// With mounts of their own commands get other errors than without.
fn both_kinds() -> [Session; 2] {
    [Session::new(), Session::without_mounts()].map(with_elsewhere)
}

fn denied(answer: &ToolAnswer) -> (&Value, &Value) {
    let denied = &answer.details["sandboxDenied"];
    (&denied["denied"], &denied["wish"])
}

async fn a_write_elsewhere() {
    let session = session();
    let place = session.path("elsewhere/new");
    for command in [
        format!("touch {}", place.display()),
        format!("echo x > {}", place.display()),
    ] {
        let answer = session.bash(&command).await;
        assert_eq!(
            denied(&answer),
            (&json!("write"), &json!("outside")),
            "{answer:?}"
        );
        let note = "[the sandbox may have stopped this: it does not let a command write to ";
        assert!(answer.text.contains(note), "{answer:?}");
        assert!(answer.text.contains("`outside: true`"), "{answer:?}");
        assert_eq!(answer.code(), "E_COMMAND_FAILED");
    }
    assert!(!place.exists());
}

/// A program of each language that fails at something, and prints the error as the language does. Absent
/// languages are skipped.
fn programs(session: &Session, [rust, node, python]: [&str; 3]) -> Vec<String> {
    let project = session.path("project");
    fs::write(project.join("x.js"), node).unwrap();
    fs::write(project.join("x.py"), python).unwrap();
    fs::write(
        project.join("x.rs"),
        format!("fn main() {{ if let Err(e) = {rust} {{ eprintln!(\"error: {{e}}\"); std::process::exit(1) }} }}"),
    )
    .unwrap();
    // A shim of a version manager is there without the program, too.
    let is_there = |program: &str| {
        let version = Command::new(program).arg("--version").output();
        version.is_ok_and(|it| it.status.success())
    };
    let mut commands = Vec::new();
    if is_there("rustc") {
        let mut rustc = Command::new("rustc");
        let compiled = rustc.current_dir(&project).arg("x.rs").status();
        // It may have no linker.
        if compiled.is_ok_and(|it| it.success()) {
            commands.push("./x".to_owned());
        }
    }
    let scripts = [("node", "x.js"), ("python3", "x.py")];
    let scripts = scripts.into_iter().filter(|(program, _)| is_there(program));
    commands.extend(scripts.map(|(program, script)| format!("{program} {script}")));
    commands
}

async fn writes() {
    for session in both_kinds() {
        writes_of(&session).await;
    }
}

async fn writes_of(session: &Session) {
    let place = session.path("elsewhere/new").display().to_string();
    let rust = format!("std::fs::write({place:?}, \"x\").map_err(|e| format!(\"{place}: {{e}}\"))");
    let node = format!("require('fs').writeFileSync('{place}', 'x')");
    let python = format!("open('{place}', 'w')");
    let mut commands = programs(session, [&rust, &node, &python]);
    let project = session.path("project").display().to_string();
    commands.extend([
        format!("echo x > {place}"),
        format!("/bin/bash -c 'echo x > {place}'"),
        format!("cp file {place}"),
        format!("echo x > {project}/../elsewhere/new"),
    ]);
    for command in commands {
        let answer = session.bash(&command).await;
        let denied = &answer.details["sandboxDenied"];
        assert_eq!(denied["denied"], "write", "{command}: {answer:?}");
        assert_eq!(denied["path"], place, "{command}: {answer:?}");
    }
}

async fn renames() {
    let session = session();
    let git = Command::new("git")
        .args(["init", "-q"])
        .arg(session.path("project"))
        .status();
    assert!(git.unwrap().success());
    let rust = "std::fs::rename(\".git\", \"y\").map_err(|e| format!(\".git: {e}\"))";
    let node = "require('fs').renameSync('.git', 'y')";
    let python = "import os; os.rename('.git', 'y')";
    let mut commands = programs(&session, [rust, node, python]);
    commands.push("mv .git y".to_owned());
    for command in commands {
        let answer = session.bash(&command).await;
        let denied = &answer.details["sandboxDenied"];
        assert_eq!(denied["denied"], "protectedWrite", "{command}: {answer:?}");
        let path = denied["path"].as_str().unwrap();
        assert!(path.ends_with("/project/.git"), "{command}: {path}");
        assert!(answer.text.contains("Write or Edit"), "{answer:?}");
    }
}

async fn sockets() {
    for session in both_kinds() {
        sockets_of(&session).await;
    }
}

async fn sockets_of(session: &Session) {
    let place = session.path("elsewhere/server");
    let _server = UnixListener::bind(&place).unwrap();
    let place = place.display().to_string();
    let rust = format!(
        "std::os::unix::net::UnixStream::connect({place:?}).map_err(|e| format!(\"connecting to {place}: {{e}}\"))"
    );
    let node = format!("require('net').connect('{place}')");
    let python = format!("import socket; socket.socket(socket.AF_UNIX).connect('{place}')");
    for command in programs(session, [&rust, &node, &python]) {
        let answer = session.bash(&command).await;
        assert_eq!(
            denied(&answer),
            (&json!("socket"), &json!("outside")),
            "{command}: {answer:?}"
        );
        assert!(answer.text.contains(&place), "{command}: {answer:?}");
    }
}

async fn a_hidden_place() {
    let session = session();
    let answer = session
        .bash(&format!("cat {}", session.path("home/key").display()))
        .await;
    assert_eq!(
        denied(&answer),
        (&json!("read"), &json!("outside")),
        "{answer:?}"
    );
}

async fn the_network() {
    let session = session();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let answer = session
        .bash(&format!("exec 3<>/dev/tcp/127.0.0.1/{port}"))
        .await;
    assert_eq!(denied(&answer).1, "network", "{answer:?}");
    assert!(answer.text.contains("`network: true`"), "{answer:?}");
}

async fn in_the_background() {
    let session = session();
    let command = format!("touch {}", session.path("elsewhere/new").display());
    let input = json!({ "command": command, "background": true });
    session.call("Bash", input).await;
    let mut answer = session
        .call("BashOutput", json!({ "id": "bash_1", "sinceBytes": 0 }))
        .await;
    while answer.details["running"] == true {
        tokio::task::yield_now().await;
        answer = session
            .call("BashOutput", json!({ "id": "bash_1", "sinceBytes": 0 }))
            .await;
    }
    assert_eq!(
        denied(&answer),
        (&json!("write"), &json!("outside")),
        "{answer:?}"
    );
}

async fn a_plain_failure() {
    let session = session();
    for command in [
        "false",
        "cat absent",
        "ls /absent",
        "echo 'expected: Permission denied' >&2; exit 1",
        "echo 'test net ... FAILED: connection refused'; exit 101",
        "chmod 0 file; ./file",
        "grep nothing file",
    ] {
        let answer = session.bash(command).await;
        assert!(answer.is_error, "{answer:?}");
        assert_eq!(
            answer.details.get("sandboxDenied"),
            None,
            "{command}: {answer:?}"
        );
        assert!(
            !answer.text.contains("the sandbox"),
            "{command}: {answer:?}"
        );
    }
}
