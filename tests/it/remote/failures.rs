//! Each way in which another machine cannot be reached is told in a sentence that helps.

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use rustix::process::{Pid, test_kill_process};
use scorel_testkit::{DaemonUnderTest, Terminal};
use serde_json::Value;

use super::ssh_server::SshServer;
use crate::under_test::{PATIENCE, SCORELD, output};

/// The report of `scorelctl --json ARGUMENTS`.
async fn error(server: &SshServer, arguments: &[&str], exit: i32) -> Value {
    let arguments = [&["--json"], arguments].concat();
    let output = output(&mut server.scorelctl(&arguments)).await;
    error_of(&output, exit)
}

fn error_of(output: &Output, exit: i32) -> Value {
    assert_eq!(output.status.code(), Some(exit), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let value: Value = serde_json::from_slice(&output.stderr).unwrap();
    value["error"].clone()
}

/// Checks that the message and the hint have these words.
fn check(error: &Value, message: &str, hint: &str) {
    let has = |key: &str, words: &str| error[key].as_str().unwrap_or_default().contains(words);
    assert!(has("message", message), "{message}: {error}");
    assert!(has("hint", hint), "{hint}: {error}");
}

#[tokio::test]
async fn what_keeps_ssh_from_the_machine_is_told_with_what_to_do() {
    let Some(server) = SshServer::bare() else {
        return;
    };
    server.knows_all();
    for (name, message, hint) in [
        ("stranger", "accepts none of the keys", "ssh-add"),
        ("changed", "is not the one from before", "ssh-keygen -R"),
        ("unknown", "is not known here", "compared"),
        (
            "closed",
            "cannot be reached by the network",
            "ssh -v closed",
        ),
        ("nowhere", "has no address", "~/.ssh/config"),
        (
            "here",
            "has no scorelctl on its PATH",
            "command -v scorelctl",
        ),
    ] {
        let error = error(&server, &["--remote", name, "sessions"], 7).await;
        check(&error, message, hint);
        assert_eq!(error["code"], "unreachable");
        let added = ["remote", "add", &format!("ssh:{name}"), "--name", "new"];
        let refused = self::error(&server, &added, 7).await;
        check(&refused, message, hint);
    }
    let listed = output(&mut server.scorelctl(&["remote", "list"])).await;
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(
        !listed.contains("new"),
        "what cannot be reached is not kept: {listed}"
    );
}

#[tokio::test]
async fn an_old_version_there_is_told() {
    // Refuses the handshake, and tells its version.
    let daemon = r#"#!/bin/sh
read -r hello
echo '{"jsonrpc":"2.0","id":0,"error":{"code":1010,"message":"protocol_mismatch","data":{"code":"protocol_mismatch","retryable":false}}}' |
  sed "s/\"id\":0/\"id\":$(printf %s "$hello" | sed 's/.*"id":\([0-9]*\).*/\1/')/"
read -r status
echo '{"jsonrpc":"2.0","id":0,"result":{"version":"0.0.1","protocol":{"min":0,"max":0}}}' |
  sed "s/\"id\":0/\"id\":$(printf %s "$status" | sed 's/.*"id":\([0-9]*\).*/\1/')/"
cat > /dev/null
"#;
    let Some(server) = SshServer::with_script(daemon) else {
        return;
    };
    server.knows_all();
    let told = error(&server, &["--remote", "here", "status"], 7).await;
    assert_eq!(told["code"], "protocol_mismatch", "{told}");
    check(
        &told,
        "here: the daemon (0.0.1) speaks protocol 0 to 0",
        "upgrade Scorel there",
    );
    // One from before `stdio`.
    let script = "#!/bin/sh\necho \"error: unrecognized subcommand 'stdio'\" >&2\nexit 2\n";
    let server = SshServer::with_script(script).unwrap();
    server.knows_all();
    let told = error(&server, &["--remote", "here", "status"], 7).await;
    check(
        &told,
        "too old for --remote: error: unrecognized subcommand",
        "scorelctl --version",
    );
}

#[tokio::test]
async fn what_the_other_machine_says_cannot_control_the_terminal() {
    let script = "#!/bin/sh\nprintf 'x\\033]0;y\\007\\342\\200\\256z' >&2\nexit 9\n";
    let Some(server) = SshServer::with_script(script) else {
        return;
    };
    server.knows_all();
    let told = error(&server, &["--remote", "here", "status"], 7).await;
    check(
        &told,
        "ended with exit code 9: x⟨1b⟩]0;y⟨7⟩⟨202e⟩z",
        "stdio",
    );
    // A shell that greets, in front of what the daemon says.
    let server = SshServer::with_script("#!/bin/sh\necho Welcome\n").unwrap();
    server.knows_all();
    let told = error(&server, &["--remote", "here", "status"], 7).await;
    check(&told, "ended before an answer", "has to print nothing");
}

#[tokio::test]
async fn without_a_daemon_there_none_is_started_unless_it_may_be() {
    let mut daemon = DaemonUnderTest::new(SCORELD);
    let Some(server) = SshServer::of(&daemon) else {
        return;
    };
    server.knows_all();
    let told = error(&server, &["--remote", "here", "--no-start", "sessions"], 7).await;
    check(
        &told,
        "no daemon answers on here: error: no daemon listens",
        "scorelctl status",
    );
    daemon.spawn().await;
    let found = output(&mut server.scorelctl(&["--remote", "here", "status", "--short"])).await;
    assert_eq!(found.stdout, b"idle\n", "{found:?}");
}

#[test]
fn a_machine_that_says_nothing_is_told_at_a_terminal_and_given_up() {
    let Some(server) = SshServer::bare() else {
        return;
    };
    server.knows_all();
    server.use_ssh("-o ConnectTimeout=4");
    let mut command = server.scorelctl(&["--remote", "mute", "sessions"]);
    let mut at_terminal = Command::new("env");
    at_terminal
        .arg(format!(
            "PATH={}:/usr/bin:/bin",
            server.path("bin").display()
        ))
        .arg(command.as_std_mut().get_program())
        .args(["--remote", "mute", "sessions"])
        .env("SCOREL_HOME", server.path("client"))
        .env("TERM", "xterm")
        .current_dir(server.path("client"));
    let Some(mut terminal) = Terminal::start(&at_terminal) else {
        return;
    };
    terminal.until("connecting to mute …");
    terminal.until("mute cannot be reached by the network");
    terminal.until("ssh -v mute true");
    let begun = Instant::now();
    for child in server.children() {
        let pid = Pid::from_raw(child).unwrap();
        while test_kill_process(pid).is_ok() {
            assert!(begun.elapsed() < PATIENCE, "ssh has ended");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[tokio::test]
async fn verbs_about_this_machine_refuse_another_one() {
    let Some(server) = SshServer::bare() else {
        return;
    };
    server.knows_all();
    for verb in [
        &["stop"][..],
        &["restart"],
        &["logs"],
        &["fsck"],
        &["doctor"],
        &["init"],
        &["config", "show"],
        &["service", "status"],
        &["stdio"],
        &["completions", "bash"],
        &["remote", "list"],
    ] {
        let told = error(&server, &[&["--remote", "here"], verb].concat(), 2).await;
        check(
            &told,
            &format!("`scorelctl {}` works on this machine only", verb[0]),
            "",
        );
    }
    assert!(server.children().is_empty(), "ssh was started");
    let told = error(&server, &["--remote", "hree", "sessions"], 3).await;
    check(&told, "there is no machine `hree`", "did you mean `here`?");
    let told = error(&server, &["remote", "add", "ssh:-oProxyCommand=x"], 2).await;
    check(&told, "does not begin with `-`", "");
    let told = error(&server, &["remote", "add", "ssh://here:22"], 2).await;
    check(&told, "a port belongs", "");
}
