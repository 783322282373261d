use std::collections::BTreeSet;

use scorel_workflow::{
    Guard, GuardError, GuardedDocument, OutputCheck, RunDocument, StateUpdate, Transition, Workflow,
};
use serde_json::{Value, json};

use crate::sample::Sample;

pub(crate) const NOW: &str = "2026-01-02T03:04:05Z";

/// The outputs that are there.
#[derive(Debug, Default)]
pub(crate) struct Written(pub(crate) BTreeSet<String>);

impl OutputCheck for Written {
    fn is_written(&self, path: &str) -> bool {
        self.0.contains(path)
    }
}

/// A run of the sample: `ask → write → review → write | end-99`, and what it has written.
struct Run {
    workflow: Workflow,
    written: Written,
    document: RunDocument,
}

impl Run {
    fn at(node: &str, completed: &[&str]) -> Self {
        let completed: String = completed.iter().map(|it| format!("\n  - {it}")).collect();
        let completed = match completed.is_empty() {
            true => " []".to_owned(),
            false => completed,
        };
        let text = format!(
            "---\n# state\nschemaVersion: \"1.1\"\nworkflowType: notes\nrunId: run_1\nprojectId: prj_1\nworkflow: {{id: notes, version: 1.0.0, digest: {}}}\n\
            currentNodeId: \"{node}\"\nactiveAgentId: writer\nautopilot: false\nstepsCompleted:{completed}\nartifacts: [artifacts/a.md]\n\
            decisionLog:\n  - {{from: ask, to: write, label: next}}\n---\n# Notes\n",
            "a".repeat(64)
        );
        Self {
            workflow: Sample::new().read().package.unwrap().workflows.remove(0),
            written: Written(BTreeSet::from(["@project/artifacts/notes.md".to_owned()])),
            document: RunDocument::parse(text).unwrap(),
        }
    }

    fn guard(&self) -> Guard<'_> {
        Guard {
            workflow: &self.workflow,
            outputs: &self.written,
        }
    }

    fn update(&self, update: Value) -> Result<GuardedDocument, GuardError> {
        let update: StateUpdate = serde_json::from_value(update).unwrap();
        self.guard().update(&self.document, &update, NOW)
    }

    fn replace(&self, old: &str, new: &str) -> Result<GuardedDocument, GuardError> {
        let text = self.document.text();
        assert_eq!(text.matches(old).count(), 1, "{old}");
        let text = text.replace(old, new);
        self.guard().replace(&self.document, text, NOW)
    }

    /// Leaves `node` for `to`.
    fn go(&self, node: &str, to: &str) -> Result<GuardedDocument, GuardError> {
        self.update(json!({"stepsCompleted": {"append": [node]}, "currentNodeId": {"set": to}}))
    }
}

#[test]
fn each_way_of_the_graph_is_a_transition() {
    let moved = |guarded: GuardedDocument| match guarded.transition {
        Transition::Move { from, to, label } => (from, to, label.unwrap()),
        other => panic!("{other:?}"),
    };
    let way =
        |from: &str, to: &str, label: &str| (from.to_owned(), to.to_owned(), label.to_owned());
    let first = Run::at("", &[]).go("ask", "write").unwrap();
    assert_eq!(moved(first), way("ask", "write", "next"));
    let back = Run::at("review", &["ask", "write"]).go("review", "write");
    assert_eq!(moved(back.unwrap()), way("review", "write", "fix"));
    let end = Run::at("end-99", &["ask", "write", "review"]);
    let ended = end
        .update(json!({"stepsCompleted": {"append": ["end-99"]}}))
        .unwrap();
    assert_eq!(ended.transition.completed(), Some("end-99"));
    assert!(matches!(ended.transition, Transition::End { .. }));
    let stays = Run::at("", &[])
        .update(json!({"variables": {"set": {"topic": "x"}}, "currentNodeId": {"set": "ask"}}));
    assert_eq!(stays.unwrap().transition, Transition::Stay);
}

#[test]
fn a_text_that_replaces_the_document_is_judged_like_an_update_and_gets_its_time() {
    let run = Run::at("ask", &[]);
    let moved = run.replace("currentNodeId: \"ask\"", "currentNodeId: write # by hand");
    assert_eq!(moved.unwrap_err().code(), "E_INVALID_TRANSITION");
    let text = run.document.text();
    let text = text
        .replace("Completed: []", "Completed: [ask]")
        .replace("\"ask\"", "write");
    let guarded = run.guard().replace(&run.document, text, NOW).unwrap();
    assert_eq!(guarded.transition.completed(), Some("ask"));
    assert_eq!(guarded.document.state().updated_at.as_deref(), Some(NOW));
    let noted = run.replace("# Notes\n", "# Notes\nMore.\n").unwrap();
    assert_eq!(noted.transition, Transition::Stay);
}

#[test]
fn parallel_ways_are_told_apart_by_the_decision() {
    let mut run = Run::at("ask", &[]);
    let mut sample = Sample::new();
    sample.edit("workflow.graph.json", |graph| {
        let other = json!({"from": "ask", "to": "write", "label": "again"});
        graph["edges"].as_array_mut().unwrap().push(other);
    });
    run.workflow = sample.read().package.unwrap().workflows.remove(0);
    let label = |update: Value| match run.update(update).unwrap().transition {
        Transition::Move { label, .. } => label,
        other => panic!("{other:?}"),
    };
    let step = json!({"stepsCompleted": {"append": ["ask"]}, "currentNodeId": {"set": "write"}});
    assert_eq!(label(step.clone()), None);
    for (said, expected) in [("again", Some("again")), ("never", None)] {
        let mut update = step.clone();
        update["decisionLog"] = json!({"append": [{"from": "ask", "to": "write", "label": said}]});
        assert_eq!(label(update).as_deref(), expected);
    }
}

type Attempt = fn() -> Result<GuardedDocument, GuardError>;

/// Illegal changes: name, attempt, code, and a part of the details.
const ILLEGAL: [(&str, Attempt, &str, &str); 31] = [
    (
        "a node is skipped",
        || Run::at("ask", &[]).go("ask", "review"),
        TRANSITION,
        r#""allowedNext":[{"to":"write","label":"next"}]"#,
    ),
    (
        "back without an edge",
        || Run::at("write", &["ask"]).go("write", "ask"),
        TRANSITION,
        r#""allowedNext":[{"to":"review","label":"next"}]"#,
    ),
    (
        "an unknown node",
        || Run::at("ask", &[]).go("ask", "nowhere"),
        TRANSITION,
        r#""to":"nowhere""#,
    ),
    (
        "a node in other capitals",
        || Run::at("ask", &[]).go("ask", "Write"),
        TRANSITION,
        r#""to":"Write""#,
    ),
    (
        "stepsCompleted forgotten",
        || Run::at("ask", &[]).update(json!({"currentNodeId": {"set": "write"}})),
        TRANSITION,
        r#""from":"ask""#,
    ),
    (
        "completed twice at once",
        || {
            Run::at("ask", &[]).update(json!({"stepsCompleted": {"append": ["ask", "ask"]}, "currentNodeId": {"set": "write"}}))
        },
        TRANSITION,
        r#""to":"write""#,
    ),
    (
        "the next one is completed too",
        || {
            Run::at("ask", &[]).update(json!({"stepsCompleted": {"append": ["ask", "write"]}, "currentNodeId": {"set": "review"}}))
        },
        TRANSITION,
        r#""to":"review""#,
    ),
    (
        "another node is completed",
        || Run::at("write", &["ask"]).go("ask", "review"),
        TRANSITION,
        r#""from":"write""#,
    ),
    (
        "completed and not left",
        || Run::at("ask", &[]).update(json!({"stepsCompleted": {"append": ["ask"]}})),
        TRANSITION,
        r#""allowedNext":[{"to":"write""#,
    ),
    (
        "completed before it is there",
        || Run::at("", &[]).update(json!({"stepsCompleted": {"append": ["end-99"]}})),
        TRANSITION,
        r#""from":"ask""#,
    ),
    (
        "the end from afar",
        || Run::at("ask", &[]).go("ask", "end-99"),
        TRANSITION,
        r#""to":"end-99""#,
    ),
    (
        "an end completed twice",
        || {
            Run::at("end-99", &["ask", "write", "review", "end-99"])
                .update(json!({"stepsCompleted": {"append": ["end-99"]}}))
        },
        TRANSITION,
        r#""allowedNext":[]"#,
    ),
    (
        "on from an end",
        || Run::at("end-99", &["review"]).go("end-99", "ask"),
        TRANSITION,
        r#""allowedNext":[]"#,
    ),
    (
        "back to nothing",
        || Run::at("write", &["ask"]).go("write", ""),
        TRANSITION,
        r#""to":"ask""#,
    ),
    (
        "an output is missing",
        || {
            let mut run = Run::at("write", &["ask"]);
            run.written.0.clear();
            run.go("write", "review")
        },
        TRANSITION,
        r#""missing":["@project/artifacts/notes.md"]"#,
    ),
    (
        "a visit too many",
        || Run::at("write", &["review", "review", "review"]).go("write", "review"),
        TRANSITION,
        r#""allowedNext":[]"#,
    ),
    (
        "a way from a node that is gone",
        || Run::at("gone", &[]).go("gone", "write"),
        TRANSITION,
        r#""from":"gone""#,
    ),
    (
        "the list of steps shrinks",
        || Run::at("write", &["ask"]).replace("\n  - ask", " []"),
        SCHEMA,
        r#"{"pointer":"/stepsCompleted"}"#,
    ),
    (
        "a step changes",
        || Run::at("write", &["ask", "write"]).replace("  - ask\n", "  - asked\n"),
        SCHEMA,
        r#"{"pointer":"/stepsCompleted"}"#,
    ),
    (
        "decisions shrink",
        || Run::at("ask", &[]).replace("  - {from: ask, to: write, label: next}\n", "  []\n"),
        SCHEMA,
        r#"{"pointer":"/decisionLog"}"#,
    ),
    (
        "a decision changes",
        || Run::at("ask", &[]).replace("label: next", "label: other"),
        SCHEMA,
        r#"{"pointer":"/decisionLog"}"#,
    ),
    (
        "artifacts are forgotten",
        || Run::at("ask", &[]).replace("[artifacts/a.md]", "[]"),
        SCHEMA,
        r#"{"pointer":"/artifacts"}"#,
    ),
    (
        "another run",
        || Run::at("ask", &[]).replace("run_1", "run_2"),
        SCHEMA,
        r#"{"pointer":"/runId"}"#,
    ),
    (
        "no run",
        || Run::at("ask", &[]).replace("runId: run_1\n", ""),
        SCHEMA,
        r#"{"pointer":"/runId"}"#,
    ),
    (
        "another project",
        || Run::at("ask", &[]).replace("prj_1", "prj_2"),
        SCHEMA,
        r#"{"pointer":"/projectId"}"#,
    ),
    (
        "another package",
        || Run::at("ask", &[]).replace("1.0.0", "2.0.0"),
        SCHEMA,
        r#"{"pointer":"/workflow"}"#,
    ),
    (
        "another agent",
        || Run::at("ask", &[]).replace("activeAgentId: writer", "activeAgentId: critic"),
        SCHEMA,
        r#"{"pointer":"/activeAgentId"}"#,
    ),
    (
        "autopilot by itself",
        || Run::at("ask", &[]).replace("autopilot: false", "autopilot: true"),
        SCHEMA,
        r#"{"pointer":"/autopilot"}"#,
    ),
    (
        "a field of another type",
        || Run::at("ask", &[]).replace("stepsCompleted: []", "stepsCompleted: 3"),
        SCHEMA,
        r#""pointer":"/stepsCompleted""#,
    ),
    (
        "a broken head",
        || Run::at("ask", &[]).replace("autopilot: false", "autopilot: [false"),
        "E_INVALID_FRONTMATTER",
        r#""line":"#,
    ),
    (
        "no head",
        || Run::at("ask", &[]).replace("---\n# state", "# state"),
        "E_INVALID_FRONTMATTER",
        r#"{"line":1,"column":1}"#,
    ),
];

const TRANSITION: &str = "E_INVALID_TRANSITION";
const SCHEMA: &str = "E_SCHEMA_VALIDATION";

#[test]
fn what_is_illegal_is_refused_with_what_allows_the_next_step() {
    for (name, attempt, code, part) in ILLEGAL {
        let error = attempt().expect_err(name);
        assert_eq!(error.code(), code, "{name}: {error}");
        let details = Value::Object(error.details()).to_string();
        assert!(details.contains(part), "{name}: {details}");
    }
    let long = Run::at("ask", &[]).replace("# Notes", &"x".repeat(256 * 1024));
    assert_eq!(long.unwrap_err().code(), "E_WRITE_LIMIT");
}
