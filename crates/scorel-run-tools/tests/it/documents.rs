use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::run::{DOCUMENT, TestRun, names, run as run_call};

#[test]
fn a_step_of_the_run_is_written_and_told() {
    let run = TestRun::new();
    let turn = run.turn();
    turn.call("fs_read", json!({"path": "@state/workflow.md"}))
        .ok();
    let step = turn.call("fs_apply_patch", json!({
        "path": "@state/workflow.md", "operation": "updateFrontmatter",
        "update": {
            "stepsCompleted": {"append": ["ask"]}, "currentNodeId": {"set": "write"}, "variables": {"set": {"topic": "x"}},
            "updatedAt": {"set": "1999-01-01T00:00:00Z"},
        },
    }));
    let sha256 = step.ok()["sha256After"].clone();
    let details = step.outcome.details.as_ref().unwrap();
    assert_eq!(
        details["state"],
        json!({
            "sha256": sha256, "currentNodeId": "write", "from": "ask", "label": "next", "completed": ["ask"],
        })
    );
    let text = run.text();
    let (head, updated) = text.split_once("updatedAt: \"").unwrap();
    assert_eq!(
        head,
        DOCUMENT
            .replace("currentNodeId: \"\"", "currentNodeId: \"write\"")
            .replace("stepsCompleted: []", "stepsCompleted:\n  - \"ask\"")
            .replace("variables: {}", "variables: {\"topic\":\"x\"}")
            .split_once("---\n# Notes")
            .unwrap()
            .0
    );
    assert!(
        updated.starts_with("20") && !updated.starts_with("1999"),
        "the time is the daemon's"
    );
    let copy = fs::read_to_string(run.bound.run_dir.join("last-good.md")).unwrap();
    assert_eq!(copy, text);
    assert_eq!(names(&run.bound.run_dir), ["last-good.md", "state"]);
    assert_eq!(names(&run.bound.state_dir()), ["workflow.md"]);
    let patched = turn.patch(json!({"artifacts": {"append": ["artifacts/notes.md"]}}));
    assert_eq!(
        patched.ok()["sha256Before"],
        sha256,
        "what was written counts as read"
    );
    let state = &patched.outcome.details.as_ref().unwrap()["state"];
    assert_eq!((&state["completed"], state.get("from")), (&json!([]), None));
}

#[test]
fn bytes_that_no_update_is_about_stay() {
    let run = TestRun::new();
    let windows = DOCUMENT.replace('\n', "\r\n");
    fs::write(run.document(), &windows).unwrap();
    let turn = run.turn();
    turn.go("ask", "write").ok();
    let text = run.text();
    assert!(text.lines().count() > 10 && !text.replace("\r\n", "").contains('\n'));
    for line in [
        "# state of the run\r\n",
        "workflowType: notes # kind\r\n",
        "owner: ann\r\n",
        "---\r\n# Notes\r\n",
    ] {
        assert!(text.contains(line), "{line:?}: {text:?}");
    }
    let note = json!({"path": "@state/workflow.md", "operations": [
        {"operation": "updateFrontmatter", "update": {"variables": {"set": {"a": 1}}}},
        {"operation": "appendText", "text": "More.\n"},
    ]});
    turn.call("fs_apply_patch", note).ok();
    assert!(run.text().ends_with("# Notes\r\nMore.\r\n"));
}

#[test]
fn other_ways_to_the_document_are_closed() {
    let run = TestRun::new();
    let turn = run.turn();
    let absolute = run.document();
    turn.call("fs_read", json!({"path": "@state/workflow.md"}))
        .ok();
    let read = turn.call("Read", json!({"path": "@state/workflow.md"}));
    assert!(
        !read.outcome.is_error,
        "a run's own session reads it by any tool"
    );
    for (tool, input, code) in [
        (
            "Write",
            json!({"path": "@state/workflow.md", "content": "x"}),
            "EACCES",
        ),
        (
            "Write",
            json!({"path": "@state/new.md", "content": "x"}),
            "EACCES",
        ),
        (
            "Write",
            json!({"path": "@pkg/new.md", "content": "x"}),
            "EACCES",
        ),
        (
            "Edit",
            json!({"path": "@state/workflow.md", "edits": [{"oldString": "ann", "newString": "bob"}]}),
            "EACCES",
        ),
        (
            "Write",
            json!({"path": absolute, "content": "x"}),
            "E_SANDBOX_VIOLATION",
        ),
        (
            "fs_write",
            json!({"path": "@state/workflow.md", "content": "x"}),
            "E_INVALID_FRONTMATTER",
        ),
        (
            "fs_write",
            json!({"path": "@state/workflow.md", "content": DOCUMENT.replace("run_1", "run_2")}),
            "E_SCHEMA_VALIDATION",
        ),
        (
            "fs_write",
            json!({"path": "@state/workflow.md", "content": DOCUMENT.replace("\"\"", "review")}),
            "E_INVALID_TRANSITION",
        ),
    ] {
        let answer = turn.call(tool, input);
        assert_eq!(answer.code(), code, "{tool}: {:?}", answer.outcome);
        assert_eq!(run.text(), DOCUMENT);
    }
    let own = turn.call(
        "fs_write",
        json!({"path": "@state/notes/mine.md", "content": "x"}),
    );
    own.ok();
    let mode = fs::metadata(run.bound.state_dir().join("notes/mine.md"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o022, 0, "others do not write it");
}

#[test]
fn refusals_say_what_is_open() {
    let run = TestRun::new();
    let turn = run.turn();
    turn.go("ask", "write").ok();
    let skipped = turn.patch(json!({"currentNodeId": {"set": "end-99"}}));
    assert_eq!(skipped.code(), "E_INVALID_TRANSITION");
    assert_eq!(
        skipped.details()["allowedNext"],
        json!([{"to": "review", "label": "next"}])
    );
    let missing = turn.go("write", "review");
    assert_eq!(
        missing.details()["missing"],
        json!(["@project/artifacts/notes.md"])
    );
    turn.call(
        "fs_write",
        json!({"path": "artifacts/notes.md", "content": ""}),
    )
    .ok();
    assert_eq!(
        turn.go("write", "review").code(),
        "E_INVALID_TRANSITION",
        "an empty file is no output"
    );
    turn.call(
        "fs_write",
        json!({"path": "artifacts/notes.md", "content": "x"}),
    )
    .ok();
    turn.go("write", "review").ok();
    let unknown = turn.patch(json!({"runId": {"set": "run_2"}}));
    assert_eq!(unknown.code(), "E_SCHEMA_VALIDATION");
}

#[test]
fn a_document_that_a_person_has_changed_is_read_again() {
    let run = TestRun::new();
    let turn = run.turn();
    turn.call("fs_read", json!({"path": "@state/workflow.md"}))
        .ok();
    let other = DOCUMENT.replace("owner: ann", "owner: bob");
    fs::write(run.document(), &other).unwrap();
    let update = json!({"variables": {"set": {"a": 1}}});
    let refused = turn.patch(update.clone());
    assert_eq!(refused.code(), "E_PRECONDITION_FAILED");
    let hashes = [&refused.details()["expected"], &refused.details()["actual"]];
    assert!(hashes.iter().all(|it| it.as_str().unwrap().len() == 64) && hashes[0] != hashes[1]);
    assert_eq!(run.text(), other);
    turn.call("fs_read", json!({"path": "@state/workflow.md"}))
        .ok();
    turn.patch(update).ok();
    fs::write(run.document(), "---\nbroken: [\n---\n").unwrap();
    turn.call("fs_read", json!({"path": "@state/workflow.md"}))
        .ok();
    let broken = turn.patch(json!({"variables": {"set": {"a": 2}}}));
    assert_eq!(broken.code(), "E_INVALID_FRONTMATTER");
    assert!(broken.details()["line"].is_u64());
    fs::remove_file(run.document()).unwrap();
    assert_eq!(
        turn.patch(json!({"variables": {"set": {"a": 2}}})).code(),
        "ENOENT"
    );
    let created = turn.call(
        "fs_write",
        json!({"path": "@state/workflow.md", "content": DOCUMENT}),
    );
    assert_eq!(created.code(), "ENOENT", "a person restores it");
}

#[test]
fn a_session_without_a_run_has_no_mounts() {
    let run = TestRun::new();
    run.turn();
    let list = run.released();
    let call = |tool: &str, input: Value| scorel_engine::ToolCall {
        id: "1".to_owned(),
        name: tool.to_owned(),
        input,
        invalid_input: None,
    };
    for path in ["@state/workflow.md", "@pkg/bmad.json"] {
        let read = run_call(&list, call("Read", json!({"path": path})));
        assert_eq!(
            read.details.unwrap()["error"]["code"],
            json!("ENOENT"),
            "{path}"
        );
        let write = run_call(&list, call("Write", json!({"path": path, "content": "x"})));
        assert!(write.is_error && !run.project().join(path).exists());
    }
}
