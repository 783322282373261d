//! `scorelctl doctor`, with and without a daemon.

use std::process::Output;

use scorel_testkit::DaemonUnderTest;
use serde_json::Value;
use tokio::process::Command;

use crate::full_disk::cannot_mount;
use crate::under_test::{SCORELCTL, SCORELD, output};

async fn doctor(daemon: &DaemonUnderTest, arguments: &[&str]) -> Output {
    let mut command = Command::new(SCORELCTL);
    command
        .env_clear()
        .env("SCORELD", SCORELD)
        .env("SCOREL_HOME", daemon.home())
        .env("IN_ENVIRONMENT", "sk-of-the-environment")
        .arg("doctor")
        .args(arguments);
    output(&mut command).await
}

/// The exit code and the JSON object.
async fn examined(daemon: &DaemonUnderTest) -> (i32, Value) {
    let output = doctor(daemon, &["--json"]).await;
    assert!(output.stderr.is_empty(), "{output:?}");
    let object = serde_json::from_slice(&output.stdout).unwrap();
    (output.status.code().unwrap(), object)
}

fn check<'a>(object: &'a Value, name: &str) -> &'a Value {
    let checks = object["checks"].as_array().unwrap();
    let found = checks.iter().find(|check| check["name"] == name);
    found.unwrap_or_else(|| panic!("{name} in {object}"))
}

fn message<'a>(object: &'a Value, name: &str) -> &'a str {
    check(object, name)["message"].as_str().unwrap()
}

#[tokio::test]
async fn a_home_that_does_not_exist_is_not_made_and_nothing_fails() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let (code, object) = examined(&daemon).await;
    assert_eq!(code, 0, "{object}");
    assert!(!daemon.home().exists());
    assert!(message(&object, "home").contains("does not exist yet"));
    assert!(message(&object, "daemon").contains("none runs"));
    assert!(message(&object, "config").contains("the model is demo"));
    let permissions = message(&object, "permissions");
    assert!(permissions.starts_with("the mode is workspace; built-in rules ask about Bash("));
    assert!(permissions.contains("Bash(git push *)"), "{permissions}");
    for name in [
        "key",
        "socket",
        "sandbox",
        "protected",
        "processes",
        "spaces",
        "shell",
        "disk",
        "clock",
    ] {
        assert_ne!(check(&object, name)["level"], "fail", "{name}");
    }
}

#[tokio::test]
async fn a_home_that_cannot_be_made_fails() {
    let daemon = DaemonUnderTest::new(SCORELD);
    // No user may make a directory there.
    let output = doctor(&daemon, &["--home", "/proc/scorel/home", "--json"]).await;
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_ne!(output.status.code(), Some(0), "{object}");
    assert_eq!(check(&object, "home")["level"], "fail", "{object}");
    assert!(
        message(&object, "home").contains("cannot be created"),
        "{object}"
    );
}

#[tokio::test]
async fn a_running_daemon_is_asked() {
    let daemon = DaemonUnderTest::start(SCORELD).await;
    let (code, object) = examined(&daemon).await;
    assert_eq!(code, 0, "{object}");
    let running = format!("runs as process {}", daemon.pid());
    assert!(message(&object, "daemon").ends_with(&running), "{object}");
    assert_eq!(check(&object, "daemon")["level"], "ok");
    assert!(message(&object, "home").contains("you alone"));
    daemon.configure("[model]\nprovider = \"unknown-provider\"\n");
    let (code, object) = examined(&daemon).await;
    assert_eq!(code, 1, "{object}");
    assert_eq!(check(&object, "daemon")["level"], "warn", "{object}");
}

#[tokio::test]
async fn a_socket_that_a_killed_daemon_has_left_is_reported() {
    let mut daemon = DaemonUnderTest::start(SCORELD).await;
    daemon.kill().await;
    assert!(daemon.socket().exists());
    let (code, object) = examined(&daemon).await;
    assert_eq!(
        (code, &check(&object, "daemon")["level"]),
        (0, &"warn".into()),
        "{object}"
    );
    assert!(
        message(&object, "daemon").contains("the socket is dead"),
        "{object}"
    );
    let hint = check(&object, "daemon")["hint"].as_str().unwrap();
    assert!(hint.contains("scorelctl restart"), "{hint}");
}

/// Modes and mount options say nothing of it.
#[tokio::test]
async fn a_home_that_takes_no_new_file_fails() {
    if let Some(reason) = cannot_mount() {
        println!("skipped: {reason}");
        return;
    }
    let daemon = DaemonUnderTest::new(SCORELD);
    std::fs::create_dir_all(daemon.home()).unwrap();
    let script = "mount -t tmpfs -o mode=700,nr_inodes=3 none \"$1\"; touch \"$1/a\" \"$1/b\" \"$1/c\"; \
                  exec \"$0\" doctor --json --home \"$1\"";
    let mut command = Command::new("unshare");
    command
        .args([
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            script,
            SCORELD,
        ])
        .arg(daemon.home());
    let output = output(&mut command).await;
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(check(&object, "home")["level"], "fail", "{object}");
    assert!(
        message(&object, "home").contains("cannot be written"),
        "{object}"
    );
}

#[tokio::test]
async fn a_broken_configuration_is_reported_with_its_place() {
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure("[tools]\npresett = \"all\"\n");
    let output = doctor(&daemon, &[]).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text
        .lines()
        .find(|line| line.starts_with("fail  config"))
        .unwrap();
    assert!(
        line.contains("config.toml:2:1") && line.contains("`preset`"),
        "{line}"
    );
    assert!(
        text.lines().last().unwrap().ends_with("1 failure"),
        "{text}"
    );
}

#[tokio::test]
async fn a_file_of_a_newer_program_is_reported_with_its_version() {
    let daemon = DaemonUnderTest::new(SCORELD);
    std::fs::create_dir_all(daemon.home()).unwrap();
    std::fs::write(daemon.home().join("grants.json"), r#"{"version":9}"#).unwrap();
    let (code, object) = examined(&daemon).await;
    assert_eq!(code, 1, "{object}");
    assert_eq!(check(&object, "state")["level"], "fail", "{object}");
    let text = message(&object, "state");
    assert!(text.contains("grants.json has version 9"), "{text}");
}

#[tokio::test]
async fn a_key_is_reported_by_its_name_only() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let named = |name: &str| {
        format!("[model]\nprovider = \"openai\"\nid = \"gpt\"\napiKeyEnv = \"{name}\"\n")
    };
    daemon.configure(&named("MISSING_KEY"));
    let (code, object) = examined(&daemon).await;
    assert_eq!(
        (code, message(&object, "key")),
        (1, "MISSING_KEY is not set"),
        "{object}"
    );

    daemon.configure(&named("IN_ENVIRONMENT"));
    let (code, object) = examined(&daemon).await;
    assert_eq!(
        (code, &check(&object, "key")["level"]),
        (0, &"ok".into()),
        "{object}"
    );
    assert!(!object.to_string().contains("sk-of"), "{object}");

    let file = daemon.home().join("env");
    std::fs::write(&file, "IN_FILE=sk-of-the-file\n").unwrap();
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    daemon.configure(&named("IN_FILE"));
    let (code, object) = examined(&daemon).await;
    assert_eq!(
        (code, &check(&object, "key")["level"]),
        (0, &"ok".into()),
        "{object}"
    );
    assert!(!object.to_string().contains("sk-of"), "{object}");
}

#[tokio::test]
async fn a_home_that_others_can_write_fails() {
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure("");
    let open = |mode| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(daemon.home(), mode).unwrap();
    };
    open(0o777);
    let (code, object) = examined(&daemon).await;
    assert_eq!(
        (code, &check(&object, "home")["level"]),
        (1, &"fail".into()),
        "{object}"
    );
    open(0o755);
    let (code, object) = examined(&daemon).await;
    assert_eq!(
        (code, &check(&object, "home")["level"]),
        (0, &"warn".into()),
        "{object}"
    );
    assert_eq!(object["level"], "warn");
}

#[tokio::test]
async fn something_that_listens_and_is_no_daemon_fails() {
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure("");
    let listener = std::os::unix::net::UnixListener::bind(daemon.socket()).unwrap();
    let closing = tokio::task::spawn_blocking(move || drop(listener.accept().unwrap()));
    let (code, object) = examined(&daemon).await;
    closing.await.unwrap();
    assert_eq!(
        (code, &check(&object, "daemon")["level"]),
        (1, &"fail".into()),
        "{object}"
    );
}

/// What the check `environment` says of a user with this login shell.
async fn environment(daemon: &DaemonUnderTest, shell: &str) -> Value {
    let mut command = Command::new(SCORELCTL);
    command
        .env_clear()
        .env("SCORELD", SCORELD)
        .env("SCOREL_HOME", daemon.home())
        .env("HOME", daemon.project())
        .env("PATH", "/usr/bin:/bin")
        .env("SHELL", shell)
        .args(["doctor", "--json"]);
    let output = output(&mut command).await;
    let object: Value = serde_json::from_slice(&output.stdout).unwrap();
    check(&object, "environment").clone()
}

#[tokio::test]
async fn the_environment_of_commands_is_shown_without_values() {
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure("[tools.environment]\nset = { GIVEN = \"value-given\" }\n");
    daemon.write_project_file(
        ".bash_profile",
        "umask 026; export FROM_LOGIN=value-shown GITHUB_TOKEN=value-secret\n",
    );
    let check = environment(&daemon, "/bin/bash").await;
    let message = check["message"].as_str().unwrap();
    for part in [
        "from the login shell /bin/bash: ",
        "FROM_LOGIN",
        "from the configuration: GIVEN",
        "withheld: GITHUB_TOKEN (looks like a secret)",
        "umask: ",
    ] {
        assert!(message.contains(part), "{part} in {message}");
    }
    assert!(!check.to_string().contains("value-"), "{check}");
    assert_eq!(check["level"], "ok");
}

#[tokio::test]
async fn a_login_shell_that_does_not_answer_is_named_with_the_reason_and_ended() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let canary = format!("6{:09}", std::process::id());
    let shell = daemon.project().join("shell");
    for (script, reason) in [
        ("exit 3".to_owned(), "ended without telling its environment"),
        (
            format!("sleep {canary} & exec sleep {canary}"),
            "did not end within 10 s",
        ),
        ("head -c 300000 /dev/zero".to_owned(), "printed more than"),
    ] {
        // By a process of its own: one that another test starts meanwhile would hold the file open for
        // writing for a moment, and a file that is can not be run.
        let write = r#"printf '#!/bin/sh\n%s\n' "$1" > "$0" && chmod 755 "$0""#;
        let mut writer = Command::new("sh");
        let written = writer.args(["-c", write]).arg(&shell).arg(&script).status();
        assert!(written.await.unwrap().success());
        let check = environment(&daemon, shell.to_str().unwrap()).await;
        assert_eq!(check["level"], "warn", "{check}");
        assert!(check["hint"].as_str().unwrap().contains(reason), "{check}");
        assert!(
            check["message"].as_str().unwrap().contains("PATH"),
            "{check}"
        );
    }
    let left = Command::new("pgrep").args(["-f", &canary]).output().await;
    assert!(left.is_ok_and(|left| left.stdout.is_empty()));
}
