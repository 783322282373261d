//! `scorelctl` with runners.

use std::process::Output;

use scorel_testkit::{DaemonUnderTest, ModelServer};
use serde_json::Value;

use super::double::{AcpDouble, script_runner};
use crate::under_test::{daemon, scorelctl};

const NOT_ACCEPTED: i32 = 3;
const TURN_FAILED: i32 = 5;

/// The output of a command that succeeds.
async fn ok(daemon: &DaemonUnderTest, arguments: &[&str]) -> String {
    let output = scorelctl(daemon, arguments, &[]).await;
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The errors of a command that fails.
async fn fails(daemon: &DaemonUnderTest, code: i32, arguments: &[&str]) -> String {
    let Output { status, stderr, .. } = scorelctl(daemon, arguments, &[]).await;
    let stderr = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(code), "{arguments:?}: {stderr}");
    stderr
}

/// The words of the line that begins with a name, and the two lines that follow.
fn row<'a>(text: &'a str, name: &str) -> (Vec<&'a str>, Vec<&'a str>) {
    let is_row = |line: &&str| line.split_whitespace().next() == Some(name);
    let mut lines = text.lines().skip_while(|line| !is_row(line));
    let words = lines.next().expect("the row").split_whitespace().collect();
    (words, lines.take(2).map(str::trim).collect())
}

async fn scene() -> DaemonUnderTest {
    let model = ModelServer::start().await.unwrap();
    let double = AcpDouble {
        resumes: true,
        keys: "",
    };
    let config = [
        double.config("double"),
        script_runner(
            "logs",
            "command",
            "echo answered; echo noted >&2",
            "trustOwn = true",
        ),
        script_runner(
            "broken",
            "command",
            "echo 'no space' >&2; exit 7",
            "trustOwn = true",
        ),
    ];
    daemon(&model, &config.concat()).await
}

#[tokio::test]
async fn runners_are_listed_and_checked() {
    let daemon = scene().await;
    let list = ok(&daemon, &["runners"]).await;
    assert_eq!(row(&list, "scorel").0[..3], ["scorel", "scorel", "ready"]);
    assert_eq!(row(&list, "double").0[..3], ["double", "acp", "ready"]);
    assert_eq!(row(&list, "logs").0, ["logs", "command", "ready"]);
    let (kimi, more) = row(&list, "kimi-cli");
    assert_eq!(kimi[..3], ["kimi-cli", "acp", "not_installed"]);
    let hint = "hint: install it with `npm install -g @moonshot-ai/kimi-code`";
    assert_eq!(more, ["kimi is not installed", hint]);

    let list = ok(&daemon, &["runners", "--json"]).await;
    let list: Value = serde_json::from_str(&list).unwrap();
    let all = list["runners"].as_array().unwrap();
    let of = |name: &str| all.iter().find(|it| it["name"] == name).unwrap();
    assert_eq!(of("scorel")["type"], "scorel");
    assert_eq!(of("double")["installed"], true);
    assert_eq!(of("kimi-cli")["problem"]["kind"], "runner_not_installed");

    let checked = ok(&daemon, &["runners", "check", "double"]).await;
    assert!(
        checked.starts_with("double is ready: it started in "),
        "{checked}"
    );
    let errors = fails(&daemon, NOT_ACCEPTED, &["runners", "check", "kimi-cli"]).await;
    assert!(errors.contains("kimi is not installed"), "{errors}");
    assert!(
        errors.contains("npm install -g @moonshot-ai/kimi-code"),
        "{errors}"
    );
    let errors = fails(&daemon, NOT_ACCEPTED, &["runners", "check", "duble"]).await;
    assert!(
        errors.contains("no runner `duble` is configured"),
        "{errors}"
    );
    assert!(errors.contains("did you mean `double`?"), "{errors}");
}

#[tokio::test]
async fn a_message_goes_to_a_runner_and_its_log_is_shown() {
    let daemon = scene().await;
    let send = |runner| ["send", "--session", "new", "--runner", runner, "go"];
    assert_eq!(ok(&daemon, &send("logs")).await, "answered\n");
    let shown = ok(&daemon, &["show", "--logs"]).await;
    assert!(shown.contains("answered"), "{shown}");
    assert!(
        shown.lines().any(|line| line.ends_with("log: noted")),
        "{shown}"
    );
    assert!(!ok(&daemon, &["show"]).await.contains("log: noted"));

    let errors = fails(&daemon, TURN_FAILED, &send("broken")).await;
    assert!(errors.contains("exit code 7: no space"), "{errors}");
    let errors = fails(&daemon, NOT_ACCEPTED, &send("duble")).await;
    assert!(errors.contains("did you mean `double`?"), "{errors}");
}

#[tokio::test]
async fn contexts_are_listed_and_given_up() {
    let daemon = scene().await;
    ok(
        &daemon,
        &["send", "--session", "new", "--runner", "double", "go"],
    )
    .await;
    let listed = ok(&daemon, &["runners", "contexts"]).await;
    let project = daemon.project().canonicalize().unwrap();
    let words: Vec<&str> = listed.split_whitespace().collect();
    assert_eq!(words, ["double", "s", project.to_str().unwrap()]);

    let forgotten = ok(&daemon, &["runners", "forget", "double"]).await;
    assert_eq!(
        forgotten,
        "double begins a new context with its next turn\n"
    );
    let forgotten = ok(&daemon, &["runners", "forget", "double"]).await;
    assert_eq!(forgotten, "double keeps no context of the session\n");
    assert_eq!(ok(&daemon, &["runners", "contexts"]).await, "");
    let errors = fails(&daemon, NOT_ACCEPTED, &["runners", "forget", "duble"]).await;
    assert!(errors.contains("did you mean `double`?"), "{errors}");
}
