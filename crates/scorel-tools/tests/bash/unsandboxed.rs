//! Commands that ask to run outside the sandbox.

use std::fs;

use libtest_mimic::Trial;
use scorel_engine::{CommandAccess, Effect, ToolCall, ToolList};
use serde_json::{Value, json};

use crate::session::{Session, canary, processes};
use crate::trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("unsandboxed::it_is_an_effect_of_its_own", it_is_an_effect),
        trial(
            "unsandboxed::the_reason_is_required",
            the_reason_is_required,
        ),
        trial("unsandboxed::the_permit_decides", the_permit_decides),
        trial("unsandboxed::the_supervisor_stays", the_supervisor_stays),
    ]
}

fn wish(command: &str) -> Value {
    json!({ "command": command, "outside": true, "reason": " it speaks to docker " })
}

async fn effects(session: &Session, input: Value) -> Vec<Effect> {
    let list = ToolList::new(session.tools.list()).unwrap();
    let call = ToolCall {
        id: "call_1".to_owned(),
        name: "Bash".to_owned(),
        input,
        invalid_input: None,
    };
    list.plan(call).await.effects().to_vec()
}

async fn it_is_an_effect() {
    let session = Session::new();
    let directory = session.path("project").canonicalize().unwrap();
    let effect = Effect::RunUnsandboxed {
        command: "docker ps".to_owned(),
        directory: directory.clone(),
        reason: "it speaks to docker".to_owned(),
    };
    assert_eq!(effects(&session, wish("docker ps")).await, [effect]);
    let effect = Effect::RunCommand {
        command: "docker ps".to_owned(),
        directory,
        network: false,
    };
    let inside = json!({ "command": "docker ps", "outside": false, "reason": "x" });
    assert_eq!(effects(&session, inside).await, [effect]);
}

async fn the_reason_is_required() {
    let session = Session::with(CommandAccess::Full);
    for reason in [Value::Null, json!(""), json!(" \n"), json!("x".repeat(501))] {
        let input = json!({ "command": "touch touched", "outside": true, "reason": reason });
        assert_eq!(effects(&session, input.clone()).await, [], "{reason}");
        let answer = session.call("Bash", input).await;
        assert_eq!(answer.code(), "E_INVALID_ARGUMENTS", "{reason}");
        assert_eq!(answer.details["error"]["details"]["field"], "reason");
    }
    assert!(!session.path("project/touched").exists());
}

async fn the_permit_decides() {
    let session = Session::new();
    fs::create_dir(session.path("elsewhere")).unwrap();
    let place = session.path("elsewhere/new");
    let input = wish(&format!("touch {}", place.display()));
    let answer = session.call("Bash", input.clone()).await;
    assert!(
        answer.is_error && !place.exists(),
        "a wish is no grant: {answer:?}"
    );
    assert_eq!(answer.details["sandbox"], "workspace");
    let answer = session
        .call_granted("Bash", input, CommandAccess::Full)
        .await;
    assert!(!answer.is_error && place.exists(), "{answer:?}");
    assert_eq!(answer.details["sandbox"], "unsandboxed");
}

async fn the_supervisor_stays() {
    let session = Session::with(CommandAccess::Full);
    let canary = canary();
    let command = format!("setsid sleep {canary} & env");
    let answer = session.call("Bash", wish(&command)).await;
    assert_eq!(answer.details["killedProcesses"], 1, "{answer:?}");
    assert!(answer.text.contains("TERM=dumb"), "{answer:?}");
    assert!(processes(&canary).is_empty());
}
