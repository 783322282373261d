//! `scorelctl init` with a real daemon.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Output;

use scorel_testkit::DaemonUnderTest;

use crate::under_test::{SCORELD, scorelctl};

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
