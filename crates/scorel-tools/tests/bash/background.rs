//! Commands that run beside the conversation.

use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::session::{Session, ToolAnswer, canary, processes, wait_for_end};
use crate::trial;

/// How soon nothing may be left. Generous, since machines are busy; the wait ends as soon as nothing is.
const LIMIT: Duration = Duration::from_secs(60);

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "output_is_read_piece_by_piece",
            output_is_read_piece_by_piece,
        ),
        trial(
            "a_background_command_is_stopped",
            a_background_command_is_stopped,
        ),
        trial(
            "background_commands_end_with_the_session",
            they_end_with_the_session,
        ),
        trial("only_so_many_run_at_a_time", only_so_many_run_at_a_time),
        trial(
            "an_unknown_id_is_answered_with_the_known_ones",
            an_unknown_id,
        ),
    ]
}

async fn start(session: &Session, command: &str) -> String {
    let input = json!({ "command": command, "background": true });
    let answer = session.call("Bash", input).await;
    assert!(!answer.is_error, "{answer:?}");
    answer.details["id"].as_str().unwrap().to_owned()
}

/// Asks until the output has an end.
pub(crate) async fn read_all(session: &Session, id: &str) -> (String, Value) {
    let mut all = String::new();
    loop {
        let answer = session.call("BashOutput", json!({ "id": id })).await;
        let (from, next) = (&answer.details["fromByte"], &answer.details["nextByte"]);
        let length = (next.as_u64().unwrap() - from.as_u64().unwrap()) as usize;
        all.push_str(&answer.text[..length]);
        if answer.details["running"] == false && next == &answer.details["bytes"] {
            return (all, answer.details);
        }
        tokio::task::yield_now().await;
    }
}

async fn stop(session: &Session, id: &str) -> ToolAnswer {
    session.call("BashStop", json!({ "id": id })).await
}

async fn output_is_read_piece_by_piece() {
    let session = Session::new();
    let id = start(&session, "seq 20000; exit 4").await;
    assert_eq!(id, "bash_1");
    let (output, details) = read_all(&session, &id).await;
    let expected: String = (1..=20_000).map(|n| format!("{n}\n")).collect();
    assert!(output == expected);
    assert_eq!(details["exitCode"], 4);
    let again = session
        .call("BashOutput", json!({ "id": id, "sinceBytes": 108_884 }))
        .await;
    assert_eq!(
        again.text,
        "19999\n20000\n"[2..].to_owned() + "[ended with exit code 4]"
    );
    let again = session
        .call("BashOutput", json!({ "id": id, "sinceBytes": 0 }))
        .await;
    assert!(
        again
            .text
            .contains("bytes more: call again, or with sinceBytes 30000]")
    );
}

async fn a_background_command_is_stopped() {
    let session = Session::new();
    let canary = canary();
    let id = start(
        &session,
        &format!("(setsid sleep {canary} &); sleep {canary}"),
    )
    .await;
    let answer = stop(&session, &id).await;
    assert_eq!(answer.text, "bash_1 was ended.");
    assert_eq!(processes(&canary), [0; 0]);
    let answer = stop(&session, &id).await;
    assert_eq!(answer.text, "bash_1 had ended already: stopped");
}

async fn they_end_with_the_session() {
    let session = Session::new();
    let canary = canary();
    let command = format!("(setsid sleep {canary} &); echo ready; sleep {canary}");
    let id = start(&session, &command).await;
    session.until_ready(&id).await;
    assert_eq!(session.tools.commands().unwrap().running(), 1);
    drop(session);
    let dropped = Instant::now();
    // A process that starts another one meanwhile leaves it to the next look.
    while !processes(&canary).is_empty() && dropped.elapsed() < LIMIT {
        wait_for_end(&canary);
    }
    assert_eq!(processes(&canary), [0; 0]);
}

async fn only_so_many_run_at_a_time() {
    let session = Session::new();
    let canary = canary();
    for _ in 0..8 {
        start(&session, &format!("sleep {canary}")).await;
    }
    let input = json!({ "command": "true", "background": true });
    assert_eq!(
        session.call("Bash", input.clone()).await.code(),
        "E_TOO_MANY"
    );
    stop(&session, "bash_3").await;
    assert_eq!(session.call("Bash", input).await.details["id"], "bash_9");
}

async fn an_unknown_id() {
    let session = Session::new();
    let answer = session.call("BashOutput", json!({ "id": "bash_1" })).await;
    assert_eq!(
        (answer.code(), answer.text.ends_with("there are none")),
        ("ENOENT", true)
    );
    start(&session, "true").await;
    let answer = stop(&session, "bash_2").await;
    assert!(answer.text.ends_with("there are bash_1"), "{}", answer.text);
}
