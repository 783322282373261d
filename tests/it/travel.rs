//! Going back, branches, clones and edited messages on the command line.

use scorel_testkit::DaemonUnderTest;
use serde_json::Value;

use crate::under_test::{SCORELD, scorelctl};

/// A daemon whose model is the demo.
struct Traveller(DaemonUnderTest);

impl Traveller {
    async fn new() -> Self {
        let mut daemon = DaemonUnderTest::new(SCORELD);
        daemon.write_project_file("README.md", "# Hello\n");
        daemon.spawn().await;
        Self(daemon)
    }

    async fn ok(&self, arguments: &[&str]) -> String {
        let output = scorelctl(&self.0, arguments, &[]).await;
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    async fn json(&self, arguments: &[&str]) -> Value {
        let arguments = [arguments, &["--json"]].concat();
        serde_json::from_str(self.ok(&arguments).await.lines().next().unwrap()).unwrap()
    }

    /// The exit code and the error, with `--json`.
    async fn refused(&self, arguments: &[&str]) -> (i32, Value) {
        let arguments = [arguments, &["--json"]].concat();
        let output = scorelctl(&self.0, &arguments, &[]).await;
        let error: Value = serde_json::from_slice(&output.stderr).unwrap();
        (output.status.code().unwrap(), error["error"].clone())
    }

    /// The lines of `tree` without ids: place and preview.
    async fn tree(&self) -> Vec<String> {
        let text = self.ok(&["tree"]).await;
        let line = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_id = |word: &&&str| word.len() == 8 && word.to_uppercase() == **word;
            let words: Vec<&str> = words.iter().filter(|word| !is_id(word)).copied().collect();
            words.join(" ")
        };
        text.lines().map(line).collect()
    }
}

#[tokio::test]
async fn a_conversation_goes_back_branches_and_is_copied() {
    let user = Traveller::new().await;
    for text in ["first", "second", "third"] {
        user.ok(&["send", text]).await;
    }
    assert_eq!(user.tree().await, ["-2 first", "-1 second", "* 0 third"]);
    let third = user.json(&["tree"]).await["activeLeafId"].clone();
    let third = third.as_str().unwrap();

    let moved = user.json(&["rewind", "-2"]).await;
    assert_ne!(moved["activeLeafId"], third);
    user.ok(&["send", "instead"]).await;
    assert_eq!(
        user.tree().await,
        ["-1 first", "second", "third", "* 0 instead"]
    );
    // Edit and send again; then the same message once more.
    user.ok(&["resend", "better"]).await;
    user.ok(&["resend"]).await;
    let tree = user.tree().await;
    assert_eq!(tree.len(), 6);
    assert_eq!(tree[5], "* 0 better");
    let shown = user.ok(&["show"]).await;
    assert!(
        shown.contains("better") && !shown.contains("instead"),
        "{shown}"
    );

    user.ok(&["branch", &third[third.len() - 8..].to_lowercase()])
        .await;
    assert_eq!(user.json(&["tree"]).await["activeLeafId"], third);

    let clone = user.json(&["clone", "-1"]).await;
    let clone = clone["sessionId"].as_str().unwrap();
    let shown = user.ok(&["show", "--session", clone]).await;
    assert!(
        shown.contains("second") && !shown.contains("third"),
        "{shown}"
    );
    user.ok(&["rewind", "root", "--session", clone]).await;
    let emptied = user.json(&["tree", "--session", clone]).await;
    assert_eq!(emptied["activeLeafId"], Value::Null);
    // It exits with an error if it finds damage.
    user.ok(&["fsck"]).await;
}

#[tokio::test]
async fn refusals_say_what_would_help() {
    let user = Traveller::new().await;
    user.ok(&["send", "first"]).await;
    let nodes = user.json(&["tree"]).await["nodes"].clone();
    let (message, end) = (nodes[0]["id"].as_str().unwrap(), nodes.as_array().unwrap());
    let end = end.last().unwrap()["id"].as_str().unwrap();
    for (arguments, code, hint) in [
        (["rewind", "-5"], "invalid_event_id", None),
        (["rewind", message], "invalid_event_id", Some(end)),
        (
            ["rewind", "nonsense"],
            "invalid_event_id",
            Some("scorelctl tree"),
        ),
        (["rewind", end], "invalid_event_id", Some("scorelctl tree")),
        (["branch", end], "invalid_event_id", Some("scorelctl tree")),
        (["rewind", "evt_0"], "usage", Some("it matches")),
    ] {
        let (exit, error) = user.refused(&arguments).await;
        assert_eq!(error["code"], code, "{arguments:?}: {error}");
        assert_eq!(exit, if code == "usage" { 2 } else { 3 });
        let found = error["hint"].as_str().unwrap_or_default();
        assert!(
            hint.is_none_or(|hint| found.contains(hint)),
            "{arguments:?}: {error}"
        );
    }
}
