//! Programs that cannot run a turn, and contexts that are gone.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use libtest_mimic::Trial;
use scorel_engine::{Permission, RunnerFact};
use scorel_runner::{Version, WireKind, builtin};

use crate::scripted::{bench, runner, setup};
use crate::trial;
use crate::turn::{Bench, Turn};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "handshakes::a_missing_program_is_told_how_to_install",
            missing,
        ),
        trial("handshakes::an_old_version_is_refused", too_old),
        trial("handshakes::a_version_is_asked_once_for_a_file", asked_once),
        trial("handshakes::a_retired_agent_is_quoted", retired),
        trial(
            "handshakes::a_program_that_is_no_runner_is_quoted",
            no_runner,
        ),
        trial(
            "handshakes::an_agent_without_a_login_says_how",
            not_logged_in,
        ),
        trial(
            "handshakes::codex_without_a_login_says_how",
            codex_not_logged_in,
        ),
        trial(
            "handshakes::a_lost_session_is_replaced_in_the_same_turn",
            lost,
        ),
        trial(
            "handshakes::a_login_error_at_resume_is_no_lost_session",
            not_lost,
        ),
        trial(
            "handshakes::a_session_that_is_loaded_is_not_shown_again",
            replayed,
        ),
    ]
}

async fn fail(mut bench: Bench) -> (String, String) {
    let turn = bench.turn("go", Permission::Granted).await;
    let error = turn.end.error.clone().unwrap();
    let started = turn
        .facts()
        .any(|fact| matches!(fact, RunnerFact::Started(_)));
    assert!(!started, "{turn:?}");
    (
        error.code,
        format!("{}; {}", error.message, error.hint.unwrap_or_default()),
    )
}

async fn missing() {
    let mut setup = setup(WireKind::Codex, &["no-such-program"]);
    setup.install = builtin("codex").map(|codex| codex.install.to_owned());
    let (code, text) = fail(Bench::new(runner(setup), "/".as_ref())).await;
    assert_eq!(code, "runner_not_installed");
    assert_eq!(
        text,
        "no-such-program is not installed; install it with `npm install -g @openai/codex`"
    );
}

/// A program that counts how often it is asked for its version.
fn old_program(directory: &Path) -> String {
    let path = directory.join("old");
    let script = "#!/bin/sh\necho x >> \"$(dirname \"$0\")/asked\"; echo 'old 1.2.3'\n";
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

async fn too_old() {
    let directory = tempfile::tempdir().unwrap();
    let mut setup = setup(WireKind::Codex, &[&old_program(directory.path())]);
    setup.min_version = Version::find("1.10.0");
    let (code, text) = fail(Bench::new(runner(setup), "/".as_ref())).await;
    assert_eq!(code, "runner_too_old");
    assert_eq!(
        text,
        "double 1.2.3 is older than 1.10.0, the oldest that is tried; \
         update it, or set `minVersion` of [runners.double]"
    );
}

async fn asked_once() {
    let directory = tempfile::tempdir().unwrap();
    let program = old_program(directory.path());
    let mut setup = setup(WireKind::Codex, &[&program]);
    setup.min_version = Version::find("1.2.3");
    let runner = runner(setup);
    let count = || {
        fs::read_to_string(directory.path().join("asked"))
            .unwrap()
            .len()
            / 2
    };
    for _ in 0..3 {
        let version = runner.version().await.unwrap().unwrap();
        assert_eq!(version.to_string(), "1.2.3");
    }
    assert_eq!(count(), 1);
    fs::write(
        &program,
        "#!/bin/sh\necho x >> \"$(dirname \"$0\")/asked\"; echo 1.2.4\n",
    )
    .unwrap();
    let version = runner.version().await.unwrap().unwrap();
    assert_eq!((version.to_string().as_str(), count()), ("1.2.4", 2));
}

const CHECK: &str = "update it, or check `type` and `command` of its table";

/// Programs that speak none of the protocols, and what is said of them.
async fn no_runner() {
    const SILENT: &str = "the runner ended before its handshake, and said nothing";
    let says: &[&str] = &["bash", "-c", "echo hello"];
    let silent: &[&str] = &["bash", "-c", ""];
    for (wire, command, expected) in [
        (WireKind::Acp, says, "hello"),
        (WireKind::Codex, says, "hello"),
        (WireKind::ClaudeCode, says, "hello"),
        (WireKind::Acp, silent, SILENT),
        (WireKind::Codex, silent, SILENT),
        (WireKind::ClaudeCode, silent, SILENT),
        // Our request comes back, is refused as the agent's, and the refusal comes back.
        (WireKind::Acp, &["cat"], "method not found"),
    ] {
        let setup = setup(wire, command);
        let (code, text) = fail(Bench::new(runner(setup), "/".as_ref())).await;
        assert_eq!(code, "runner_protocol", "{wire:?} {command:?}: {text}");
        assert_eq!(text, format!("{expected}; {CHECK}"), "{wire:?}");
    }
    let setup = setup(WireKind::Acp, &["/tmp"]);
    let (code, text) = fail(Bench::new(runner(setup), "/".as_ref())).await;
    assert_eq!(code, "runner_not_installed");
    assert_eq!(text, "/tmp is not a program; ");
}

async fn retired() {
    let script = "echo 'kimi-cli is no longer maintained.'; echo 'Use kimi-code.' >&2; exit 0";
    let (code, text) = fail(bench(WireKind::Acp, script, "/".as_ref())).await;
    assert_eq!(code, "runner_protocol");
    assert_eq!(
        text,
        format!("kimi-cli is no longer maintained.\nUse kimi-code.; {CHECK}")
    );
}

async fn not_logged_in() {
    let script = r#"
        read -r _; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"l","name":"Run kimi login"}]}}'
        read -r _; echo '{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"Authentication required"}}'
        cat >/dev/null"#;
    let (code, text) = fail(bench(WireKind::Acp, script, "/".as_ref())).await;
    assert_eq!(code, "runner_not_logged_in");
    assert_eq!(
        text,
        "Authentication required; run it once and log in: Run kimi login"
    );
}

async fn codex_not_logged_in() {
    let script = r#"
        read -r _; echo '{"id":1,"result":{"userAgent":"scorel/0.169.0 (x)"}}'; read -r _
        read -r _; echo '{"id":2,"result":{"account":null,"requiresOpenaiAuth":true}}'
        cat >/dev/null"#;
    let (code, text) = fail(bench(WireKind::Codex, script, "/".as_ref())).await;
    assert_eq!(code, "runner_not_logged_in");
    assert_eq!(text, "codex is not logged in; log in with `codex login`");
}

/// An agent that runs `load` to answer a load of its session, `after` once it is asked something else, and
/// then works.
fn loading(load: &str, after: &str) -> String {
    format!(
        r#"
        prompt=3
        session() {{ echo "{{\"jsonrpc\":\"2.0\",\"id\":2,$1}}"; }}
        read -r _; echo '{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":1,"agentCapabilities":{{"loadSession":true}}}}}}'
        read -r line
        case $line in
            *session/load*) {load} ;;
            *) session '"result":{{"sessionId":"new"}}'; id=new ;;
        esac
        case $line in
            *session/load*) read -r _ || exit 0
                {after}
                echo '{{"jsonrpc":"2.0","id":3,"error":{{"code":-32601,"message":"method not found"}}}}'; prompt=4 ;;
        esac
        read -r _ || exit 0
        echo "{{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{{\"sessionId\":\"$id\",\"update\":{{\"sessionUpdate\":\"agent_message_chunk\",\"content\":{{\"type\":\"text\",\"text\":\"hi\"}}}}}}}}"
        echo "{{\"jsonrpc\":\"2.0\",\"id\":$prompt,\"result\":{{\"stopReason\":\"end_turn\"}}}}"
        cat >/dev/null"#
    )
}

async fn resume(load: &str, after: &str) -> Turn {
    let mut bench = bench(WireKind::Acp, &loading(load, after), "/".as_ref());
    bench.order.context = Some("old".to_owned());
    let turn = bench.turn("go", Permission::Granted).await;
    bench.release().await;
    turn
}

async fn lost() {
    let error =
        r#"{"code":-32603,"message":"Internal error","data":{"details":"no such session"}}"#;
    let turn = resume(&format!("session '\"error\":{error}'"), "").await;
    assert_eq!(
        (turn.outcome().as_str(), turn.text().as_str()),
        ("completed", "hi")
    );
    let mut facts = turn.facts();
    let reason = "Internal error: no such session".to_owned();
    assert_eq!(facts.next(), Some(&RunnerFact::ContextLost { reason }));
    assert!(matches!(facts.next(), Some(RunnerFact::Started(start)) if !start.resumed));
    assert_eq!(turn.context().as_deref(), Some("new"));
}

async fn not_lost() {
    let turn = resume(
        r#"session '"error":{"code":-32000,"message":"log in"}'"#,
        "",
    )
    .await;
    assert_eq!(turn.outcome(), "runner_not_logged_in");
}

async fn replayed() {
    let update = r#"echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"old","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"old text"}}}}'; id=old;"#;
    let answer = r#"session '"result":{}';"#;
    // Gemini replays after its answer, and it may be long.
    let long = format!("for i in $(seq 2000); do {update} done");
    for (load, after) in [
        (format!("{update} {answer}"), ""),
        (format!("{answer} {update}"), ""),
        (format!("{answer} {long}"), ""),
        (answer.to_owned() + " id=old", long.as_str()),
    ] {
        let turn = resume(&load, after).await;
        assert_eq!(
            (turn.outcome().as_str(), turn.text().as_str()),
            ("completed", "hi")
        );
        assert_eq!(turn.context().as_deref(), Some("old"));
    }
}
