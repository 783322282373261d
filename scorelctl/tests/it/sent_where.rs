//! Where a message goes, and what it changes there, is said.

use std::process::Command;

use scorel_testkit::Terminal;
use serde_json::{Value, json};

use crate::answers::{ITEM, SESSION, daemon, session, turn};
use crate::daemon::Daemon;
use crate::program::TestHome;

/// The session, with other values for some of its fields.
fn with(fields: &[(&str, Value)]) -> Value {
    let mut session = session(2, 2);
    for (name, value) in fields {
        session[name] = value.clone();
    }
    session
}

/// The session as it is before the message.
fn before(daemon: &Daemon, fields: &[(&str, Value)]) {
    daemon.answer("listSessions", json!({"sessions": [with(fields)]}));
}

#[test]
fn a_terminal_is_told_which_session_it_is_unless_it_used_it_last() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    let script = "for text in x y; do \"$0\" --no-start send -d $text; done; \
        \"$0\" --no-start send -d --session new z; \"$0\" --no-start send -d w";
    let mut command = Command::new("sh");
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_scorelctl")])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("SCOREL_HOME", place.home())
        .env("XDG_RUNTIME_DIR", place.home())
        .current_dir(place.work());
    let Some(terminal) = Terminal::start(&command) else {
        return;
    };
    let (code, shown) = terminal.ended();
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(daemon.calls("sendMessage").len(), 4);
    let named = shown.matches("session 9G5FAV, a ⟨1b⟩[31mtitle").count();
    assert_eq!(named, 1, "{shown}");
}

#[test]
fn a_choice_that_is_kept_after_a_failure_is_said() {
    for (arguments, fields, said) in [
        (
            &["-m", "lab:x"][..],
            &[][..],
            "keeps the model `lab:x` until",
        ),
        (
            &[],
            &[("model", json!("lab:x"))],
            "keeps the model `lab:x` until",
        ),
        (&["-r", "codex"], &[], "keeps the runner `codex` until"),
        (
            &[],
            &[("runner", json!("codex"))],
            "keeps the runner `codex` until",
        ),
        (&[], &[], ""),
    ] {
        for reason in ["error", "completed", "cancelled"] {
            let place = TestHome::new();
            let daemon = daemon(&place);
            before(&daemon, fields);
            daemon.after_send(&turn(reason));
            let ended = place.run(&[&["send"], arguments, &["x"]].concat());
            let expected = reason == "error" && !said.is_empty();
            assert_eq!(ended.err.contains("keeps the"), expected, "{ended:?}");
            assert!(!expected || ended.err.contains(said), "{ended:?}");
        }
    }
}

#[test]
fn a_message_says_what_becomes_of_a_paused_queue() {
    let queued = json!({
        "status": "queued", "queue": "followUp", "queueItemId": ITEM, "position": 0, "seq": 3,
    });
    let waits = format!("waits in it: `scorelctl queue --session {SESSION} resume`");
    for (was, is, said) in [
        (true, true, waits.as_str()),
        (true, false, "the queue was paused; it goes on now"),
        (false, false, ""),
    ] {
        let place = TestHome::new();
        let daemon = daemon(&place);
        before(&daemon, &[("queuePaused", json!(was))]);
        daemon.answer(
            "getSession",
            json!({"session": with(&[("queuePaused", json!(is))])}),
        );
        daemon.answer("sendMessage", queued.clone());
        let ended = place.run(&["send", "--detach", "x"]);
        ended.assert_code(0);
        assert_eq!(ended.out, format!("{SESSION}\n"));
        assert!(ended.err.contains(said), "{ended:?}");
        assert_eq!(ended.err.contains("paused"), was, "{ended:?}");
    }
}

#[test]
fn changes_of_the_queue_say_what_they_did() {
    let item = json!({
        "queueItemId": ITEM, "kind": "followUp", "content": [{"type": "text", "text": "later"}],
        "clientId": "daemon",
    });
    for (arguments, paused, said) in [
        (
            &["pause"][..],
            false,
            "the queue is paused; `scorelctl queue resume`",
        ),
        (&["resume"], true, "the queue goes on"),
        (&["resume"], false, "it was not paused"),
        (&["add", "more"], true, "the message waits in it"),
        (&["add", "more"], false, ""),
        (&["remove", "1"], false, "removed 1 message\n"),
    ] {
        let place = TestHome::new();
        let daemon = daemon(&place);
        let queue = [item.clone()];
        let is = |paused: bool| with(&[("queue", json!(queue)), ("queuePaused", json!(paused))]);
        daemon.answer("getSession", json!({"session": is(paused)}));
        let left = if arguments[0] == "remove" {
            &[][..]
        } else {
            &queue
        };
        let answer = json!({"seq": 3, "queueVersion": 2, "queue": left});
        daemon.answer("rewriteQueue", answer);
        let ended = place.run(&[&["queue"], arguments].concat());
        ended.assert_code(0);
        assert!(ended.err.contains(said), "{arguments:?}: {ended:?}");
        assert_eq!(
            ended.err.is_empty(),
            said.is_empty(),
            "{arguments:?}: {ended:?}"
        );
    }
}

#[test]
fn the_orchestrator_is_not_the_latest_session() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    let own = "ses_01ARZ3NDEKTSV4RRFFQ69G5FAW";
    let orchestrator = with(&[("title", json!("Orchestrator"))]);
    let mut project = daemon.answered("registerProject");
    project["project"]["orchestratorSessionId"] = json!(SESSION);
    daemon.answer("registerProject", project.clone());
    daemon.answer("listProjects", json!({"projects": [project["project"]]}));
    daemon.answer("cancel", json!({"cancelled": true}));
    let listed = |sessions: &[Value]| daemon.answer("listSessions", json!({"sessions": sessions}));
    listed(&[orchestrator.clone(), with(&[("sessionId", json!(own))])]);
    place.run(&["send", "-d", "x"]).assert_code(0);
    assert_eq!(daemon.calls("sendMessage")[0]["sessionId"], own);
    place.run(&["cancel"]).assert_code(0);
    assert_eq!(daemon.calls("cancel")[0]["sessionId"], own);
    listed(&[orchestrator]);
    place.run(&["send", "-d", "x"]).assert_code(0);
    assert_eq!(daemon.calls("createSession").len(), 1);
    // A command that only looks, or stops something, may mean it.
    place.run(&["cancel"]).assert_code(0);
    assert_eq!(daemon.calls("cancel")[1]["sessionId"], SESSION);
}

#[test]
fn a_message_that_was_taken_for_options_is_to_be_quoted() {
    let place = TestHome::new();
    let daemon = daemon(&place);
    let details = json!({"field": "runner"});
    daemon.refuse_with("sendMessage", (-32602, "invalid_params"), &details);
    let ended = place.run(&["send", "BASH", "rm", "-rf", "x"]);
    ended.assert_code(3);
    assert!(ended.err.contains("has to be in quotes"), "{ended:?}");
    let ended = place.run(&["send", "-r", "f", "x"]);
    assert!(!ended.err.contains("quotes"), "{ended:?}");
}
