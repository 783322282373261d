//! `scorelctl init` with a real daemon.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Output};

use scorel_testkit::{DaemonUnderTest, Terminal};

use crate::under_test::{SCORELCTL, SCORELD, scorelctl};

const LAB: &[&str] = &[
    "--yes",
    "--no-check",
    "--provider",
    "lab",
    "--base-url",
    "http://127.0.0.1:1/v1",
    "--model",
    "m",
    "--api",
];

const LAB_SECTION: &str = "[providers.lab]\napi = \"openai-completions\"\n\
    baseUrl = \"http://127.0.0.1:1/v1\"\n\n[model]\nprovider = \"lab\"\nid = \"m\"\n";

/// The same as an earlier version wrote it.
const ONE_SECTION: &str = "[model]\ntype = \"custom\"\napi = \"openai-completions\"\n\
    provider = \"lab\"\nid = \"m\"\nbaseUrl = \"http://127.0.0.1:1/v1\"\n";

async fn init(daemon: &DaemonUnderTest, arguments: &[&[&str]]) -> Output {
    let arguments = [&["init"], &arguments.concat()[..]].concat();
    scorelctl(daemon, &arguments, &[("PATH", "/usr/bin:/bin")]).await
}

fn file(daemon: &DaemonUnderTest) -> String {
    fs::read_to_string(daemon.home().join("config.toml")).unwrap()
}

async fn stop(daemon: &DaemonUnderTest) {
    assert!(scorelctl(daemon, &["stop"], &[]).await.status.success());
}

#[tokio::test]
async fn a_model_that_would_make_the_configuration_invalid_is_not_written() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let output = init(&daemon, &[LAB, &["bogus"]]).await;
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    let path = daemon.home().join("config.toml");
    let place = format!("{}:2:", path.display());
    assert!(said.contains(&place) && said.contains("bogus"), "{said}");
    assert!(!path.exists());

    let output = init(&daemon, &[LAB, &["openai-completions"]]).await;
    assert!(output.status.success(), "{output:?}");
    assert_eq!(file(&daemon), LAB_SECTION);
    stop(&daemon).await;
}

#[tokio::test]
async fn another_model_of_a_custom_endpoint_can_be_chosen_however_it_is_described() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let again = [
        "--force",
        "--no-check",
        "--provider",
        "lab",
        "--model",
        "other",
    ];
    for before in [LAB_SECTION, ONE_SECTION] {
        daemon.configure(before);
        let output = init(&daemon, &[&again]).await;
        assert!(output.status.success(), "{output:?}");
        let expected = LAB_SECTION.replace("\"m\"", "\"other\"");
        assert_eq!(file(&daemon), expected);
    }
    let unknown = ["--force", "--yes", "--provider", "lbb", "--model", "other"];
    let output = init(&daemon, &[&unknown]).await;
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("--api and --base-url"), "{said}");
    stop(&daemon).await;
}

#[tokio::test]
async fn with_force_a_model_section_is_replaced_with_which_no_daemon_starts() {
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure("[model]\napi = 'bogus'\n[runtime]\nmaxSteps = 5\n");
    let output = init(&daemon, &[LAB, &["openai-completions"]]).await;
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let output = init(&daemon, &[LAB, &["openai-completions", "--force"]]).await;
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        file(&daemon),
        format!("[runtime]\nmaxSteps = 5\n\n{LAB_SECTION}")
    );
    stop(&daemon).await;
}

#[tokio::test]
async fn a_model_section_that_is_removed_and_not_replaced_is_put_back() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let before = "[model]\napi = 'bogus'\n[runtime]\nmaxSteps = 5\n";
    daemon.configure(before);
    let output = init(&daemon, &[LAB, &["bogus", "--force"]]).await;
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("is back as it was"), "{said}");
    assert_eq!(file(&daemon), before);
    stop(&daemon).await;
}

#[tokio::test]
async fn keys_of_the_model_outside_of_a_section_are_not_replaced() {
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure("model.id = 'x'\n");
    for force in [&[][..], &["--force"]] {
        let output = init(&daemon, &[LAB, &["openai-completions"], force]).await;
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("outside of a [model] section"), "{said}");
        assert_eq!(file(&daemon), "model.id = 'x'\n");
    }
}

#[tokio::test]
async fn a_link_that_leads_nowhere_is_not_replaced() {
    let daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure("");
    let path = daemon.home().join("config.toml");
    fs::remove_file(&path).unwrap();
    symlink("elsewhere", &path).unwrap();
    let output = init(&daemon, &[LAB, &["openai-completions", "--force"]]).await;
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("a file that does not exist"), "{said}");
    assert!(fs::symlink_metadata(&path).unwrap().is_symlink());
}

#[tokio::test]
async fn a_model_is_added_to_a_file_that_has_none() {
    let daemon = DaemonUnderTest::new(SCORELD);
    let before = "# mine  \n[permissions]\n\n\n# end";
    daemon.configure(before);
    let output = init(&daemon, &[LAB, &["openai-completions"]]).await;
    assert!(output.status.success(), "{output:?}");
    assert_eq!(file(&daemon), format!("{before}\n\n{LAB_SECTION}"));
    stop(&daemon).await;
}

/// As Codex answers without an account.
const CODEX: &str = r#"
[ "$1" = --version ] && echo codex-cli 0.169.0 && exit
read -r _; echo '{"id":1,"result":{"userAgent":"scorel/0.169.0"}}'
read -r _; read -r _; echo '{"id":2,"result":{"account":null,"requiresOpenaiAuth":true}}'
exec cat >/dev/null"#;

/// As Kimi CLI answers with one.
const KIMI: &str = r#"
[ "$1" = --version ] && echo kimi 1.2.3 && exit
read -r _; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{}}}'
read -r _; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'
exec cat >/dev/null"#;

fn program(directory: &Path, name: &str, script: &str) {
    let path = directory.join(name);
    fs::write(&path, format!("#!/bin/bash\n{script}\n")).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
}

#[tokio::test]
async fn agents_that_are_installed_are_offered_if_they_are_logged_in() {
    let programs = tempfile::tempdir().unwrap();
    program(programs.path(), "codex", CODEX);
    program(programs.path(), "kimi", KIMI);
    let path = format!("{}:/usr/bin:/bin", programs.path().display());
    let mut daemon = DaemonUnderTest::new(SCORELD).with_variable("PATH", &path);
    daemon.spawn().await;
    let mut command = Command::new(SCORELCTL);
    command
        .arg("init")
        .env_clear()
        .env("SCOREL_HOME", daemon.home())
        .current_dir(daemon.project());
    let Some(mut terminal) = Terminal::start(&command) else {
        return;
    };
    terminal.until("provider [1]: ");
    terminal.types("kimi-cli\n");
    let (code, shown) = terminal.ended();
    assert_eq!(code, Some(0), "{shown}");
    for said in [
        "     codex       Codex is installed, not logged in: run `codex login`",
        "  1  kimi-cli    Kimi CLI is installed and can be used",
        "kimi-cli can be used; a session keeps it",
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
}
