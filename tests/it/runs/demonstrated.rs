//! The packages of the documentation without a key: added and started as the guide says, and gone through by the demo.

use std::fs;

use scorel_proto::SessionId;
use scorel_testkit::DaemonUnderTest;
use serde_json::Value;

use crate::under_test::{SCORELD, Watch, connect, scorelctl, send};

/// Allows all that a run does, so that it waits for answers only.
const CONFIG: &str = "[permissions]\nmode = \"full\"\n";

/// The next phase in which a run does not go on by itself, and the reason.
async fn rest(watch: &mut Watch) -> (String, String) {
    loop {
        let event = watch.next().await;
        if event["type"] != "custom" || event["kind"] != "workflow.phase" {
            continue;
        }
        let text = |field: &str| event["data"][field].as_str().unwrap_or_default().to_owned();
        if text("to") != "Running" {
            return (text("to"), text("reason"));
        }
    }
}

/// The output of `scorelctl --json`.
async fn told(daemon: &DaemonUnderTest, arguments: &[&str]) -> Value {
    let arguments = [&["--json"], arguments].concat();
    let done = scorelctl(daemon, &arguments, &[]).await;
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{arguments:?}: {errors}");
    serde_json::from_slice(&done.stdout).unwrap()
}

/// A run of a workflow to its end, with any answer to what it asks. Returns the document.
async fn demonstrated(package: &str, workflow: &str) -> (DaemonUnderTest, String) {
    let mut daemon = DaemonUnderTest::new(SCORELD);
    daemon.configure(CONFIG);
    daemon.spawn().await;
    let source = format!("{}/../docs/workflows/{package}", env!("CARGO_MANIFEST_DIR"));
    told(&daemon, &["workflow", "add", &source]).await;
    let start = ["run", "start", workflow, "--yes", "--autopilot", "true"];
    let started = told(&daemon, &start).await;
    let session: SessionId = started["sessionId"].as_str().unwrap().parse().unwrap();
    let client = connect(&daemon.socket()).await;
    let mut watch = Watch::from_start(&client, session).await;
    let mut asked = 0;
    loop {
        let (phase, reason) = rest(&mut watch).await;
        match (phase.as_str(), reason.as_str()) {
            ("Completed", _) => break,
            ("WaitingUser", "question") if asked < 4 => {
                asked += 1;
                send(&client, session, "Good.").await;
            }
            other => panic!("{other:?}"),
        }
    }
    let run = started["runId"].as_str().unwrap();
    let document = daemon
        .home()
        .join("runs")
        .join(run)
        .join("state/workflow.md");
    let text = fs::read_to_string(document).unwrap();
    (daemon, text)
}

#[tokio::test]
async fn a_story_is_made() {
    let (daemon, text) = demonstrated("create-story", "create-story").await;
    let last = "  - \"step-05-update-sprint-status\"\n  - \"end-99\"\n";
    assert!(text.contains(last), "{text}");
    let summary = daemon.project().join("artifacts/create-story/summary.md");
    assert!(summary.exists());
}

#[tokio::test]
async fn release_notes_are_written_and_approved() {
    let (daemon, text) = demonstrated("release-notes", "release-notes").await;
    let last = "  - \"ready\"\n  - \"draft\"\n  - \"approve\"\n  - \"end\"\n";
    assert!(text.contains(last), "{text}");
    let notes = daemon.project().join("artifacts/release-notes/notes.md");
    assert!(notes.exists());
}

#[tokio::test]
async fn a_draft_of_them_is_written_without_questions() {
    let (_, text) = demonstrated("release-notes", "release-notes/draft").await;
    let all = "stepsCompleted:\n  - \"collect\"\n  - \"draft-only\"\n  - \"end\"\n";
    assert!(text.contains(all), "{text}");
}
