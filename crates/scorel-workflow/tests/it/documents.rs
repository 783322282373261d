use scorel_workflow::{RunDocument, StateUpdate};
use serde_json::json;

const DOCUMENT: &str = "---\n# state\nschemaVersion: \"1.1\"\nworkflowType: notes # kind\ncurrentNodeId: ask\nstepsCompleted:\n  - first # done\n\
    variables: {}\nowner: ann\n---\n# Notes\n";

fn update(value: serde_json::Value) -> StateUpdate {
    serde_json::from_value(value).unwrap()
}

#[test]
fn an_update_changes_its_fields_and_no_other_byte() {
    let document = RunDocument::parse(DOCUMENT).unwrap();
    let update = update(json!({
        "stepsCompleted": {"append": ["ask"]},
        "variables": {"set": {"topic": "a: b", "n": 1}},
        "decisionLog": {"append": [{"from": "ask", "to": "write", "label": "next"}]},
        "artifacts": {"append": ["artifacts/notes.md"]},
        "currentNodeId": {"set": "write"},
        "updatedAt": {"set": "yesterday"},
    }));
    let updated = document.updated(&update, "2026-01-02T03:04:05Z").unwrap();
    assert_eq!(
        updated.text(),
        "---\n# state\nschemaVersion: \"1.1\"\nworkflowType: notes # kind\ncurrentNodeId: \"write\"\nstepsCompleted:\n  - first # done\n  - \"ask\"\n\
        variables: {\"topic\":\"a: b\",\"n\":1}\nowner: ann\ndecisionLog:\n  - {\"from\":\"ask\",\"to\":\"write\",\"label\":\"next\"}\n\
        artifacts:\n  - \"artifacts/notes.md\"\nupdatedAt: \"2026-01-02T03:04:05Z\"\n---\n# Notes\n"
    );
    let again = RunDocument::parse(updated.text()).unwrap();
    assert_eq!(again.state(), updated.state());
    assert_eq!(again.state().steps_completed, ["first", "ask"]);
    assert_eq!(again.state().variables["topic"], "a: b");
}

#[test]
fn what_is_not_a_state_is_refused_with_its_place() {
    let long = DOCUMENT.replace("# Notes", &"x".repeat(256 * 1024));
    let decision = "\n  - {from: a, to: b, label: c}";
    let many = DOCUMENT.replace(
        "owner: ann",
        &format!("decisionLog:{}", decision.repeat(1_001)),
    );
    for (text, expected) in [
        (
            DOCUMENT.replace("---\n# state", "# state"),
            "line 1, column 1: the file does not begin",
        ),
        (DOCUMENT.replace("owner: ann", "owner: [a"), "line "),
        (
            DOCUMENT.replace("owner: ann", "currentNodeId: b"),
            "line 9, column 1: `currentNodeId` is there twice",
        ),
        (
            DOCUMENT.replace("\"1.1\"", "1.1"),
            "/schemaVersion: it is not a version of the format",
        ),
        (
            DOCUMENT.replace("workflowType: notes # kind\n", ""),
            ": `workflowType` is missing",
        ),
        (
            DOCUMENT.replace("currentNodeId: ask", "currentNodeId: 1"),
            "/currentNodeId: it is not a text",
        ),
        (
            DOCUMENT.replace("- first", "- {}"),
            "/stepsCompleted/0: it is not a text",
        ),
        (
            DOCUMENT.replace("variables: {}", "variables: []"),
            "/variables: it is not an object",
        ),
        (
            DOCUMENT.replace("owner: ann", "autopilot: maybe"),
            "/autopilot: it is not `true` or `false`",
        ),
        (long, "it has more than 262144 bytes"),
        (many, "it has more than 1000 decisions"),
    ] {
        let error = RunDocument::parse(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{expected}: {error}");
    }
    for wrong in [
        json!({"stepsCompleted": {"set": []}}),
        json!({"runId": {"set": "x"}}),
    ] {
        assert!(
            serde_json::from_value::<StateUpdate>(wrong.clone()).is_err(),
            "{wrong}"
        );
    }
}
