//! Third-party programs as clients; those that are not installed are reported as skipped.

use std::process::Stdio;

use scorel_testkit::DaemonUnderTest;
use tokio::process::Command;
use tokio::time::timeout;

use crate::under_test::{PATIENCE, SCORELD};

async fn run(script: &str, needs: &[&str]) {
    for program in needs {
        let found = std::process::Command::new("sh")
            .args(["-c", &format!("command -v {program}")])
            .stdout(Stdio::null())
            .status()
            .unwrap();
        if !found.success() {
            println!("skipped: {program} is not installed");
            return;
        }
    }
    let daemon = DaemonUnderTest::start(SCORELD).await;
    daemon.write_project_file("README.md", "# Hello\n");
    let output = Command::new(format!("{}/clients/{script}", env!("CARGO_MANIFEST_DIR")))
        .arg(daemon.socket())
        .arg(daemon.project())
        .kill_on_drop(true)
        .output();
    let output = timeout(PATIENCE, output).await.expect("it ends in time");
    let output = output.unwrap();
    assert!(
        output.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[tokio::test]
async fn socat_and_jq_hold_a_conversation() {
    run("socat.sh", &["socat", "jq", "bash"]).await;
}

#[tokio::test]
async fn python_holds_a_conversation() {
    run("conversation.py", &["python3"]).await;
}
