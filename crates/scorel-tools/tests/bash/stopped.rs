//! Commands that the sandbox stops.

use std::fs;
use std::net::TcpListener;

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::session::{Session, ToolAnswer};
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("stopped::a_write_elsewhere_is_explained", a_write_elsewhere),
        trial("stopped::a_hidden_place_is_explained", a_hidden_place),
        trial("stopped::the_missing_network_is_explained", the_network),
        trial("stopped::in_the_background_too", in_the_background),
        trial("stopped::a_plain_failure_has_no_hint", a_plain_failure),
    ]
}

fn session() -> Session {
    let session = Session::new();
    fs::create_dir(session.path("elsewhere")).unwrap();
    session
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
