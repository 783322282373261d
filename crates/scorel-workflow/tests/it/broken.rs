use scorel_workflow::{MAX_NODES, MAX_TEXT_BYTES, ProblemCode, ProblemCode::*};
use serde_json::json;

use crate::sample::Sample;

/// A mistake, and where it is found.
type Broken = (fn(&mut Sample), ProblemCode, &'static str, &'static str);

const GRAPH: &str = "workflow.graph.json";

const BROKEN: [Broken; 32] = [
    (
        |it| drop(it.0.remove("bmad.json")),
        MissingFile,
        "bmad.json",
        "",
    ),
    (|it| it.text("bmad.json", "{"), Schema, "bmad.json", ""),
    (
        |it| it.edit("bmad.json", |it| it["schemaVersion"] = json!("2.0")),
        Schema,
        "bmad.json",
        "/schemaVersion",
    ),
    (
        |it| it.edit("bmad.json", |it| it["version"] = json!("1")),
        Schema,
        "bmad.json",
        "/version",
    ),
    (
        |it| it.edit("bmad.json", |it| it["more"] = json!(1)),
        Schema,
        "bmad.json",
        "/more",
    ),
    (
        |it| it.edit("bmad.json", |it| it["workflows"][1]["id"] = json!("short")),
        Schema,
        "bmad.json",
        "/workflows/1/id",
    ),
    (
        |it| it.edit("bmad.json", |it| it["entry"]["graph"] = json!("../g.json")),
        BadPath,
        "bmad.json",
        "/entry/graph",
    ),
    (
        |it| it.edit("bmad.json", |it| it["entry"]["agents"] = json!("no.json")),
        MissingFile,
        "bmad.json",
        "/entry/agents",
    ),
    (
        |it| it.0.extend([("agents.json".to_owned(), vec![0xff])]),
        Schema,
        "bmad.json",
        "/entry/agents",
    ),
    (
        |it| it.edit("agents.json", |it| it["agents"] = json!([])),
        Schema,
        "agents.json",
        "/agents",
    ),
    (
        |it| it.edit("agents.json", |it| it["agents"][1]["id"] = json!("writer")),
        Schema,
        "agents.json",
        "/agents/1/id",
    ),
    (
        |it| {
            it.edit("agents.json", |it| {
                it["agents"][0]["tools"]["fs"]["maxReadBytes"] = json!(0);
            });
        },
        Schema,
        "agents.json",
        "/agents/0/tools/fs/maxReadBytes",
    ),
    (
        |it| it.edit(GRAPH, |it| it["entryNodeId"] = json!("start")),
        MissingNode,
        GRAPH,
        "/entryNodeId",
    ),
    (
        |it| it.edit(GRAPH, |it| it["edges"][0]["to"] = json!("nowhere")),
        MissingNode,
        GRAPH,
        "/edges/0/to",
    ),
    (
        |it| it.edit(GRAPH, |it| it["nodes"][1]["id"] = json!("ask")),
        DuplicateNode,
        GRAPH,
        "/nodes/1/id",
    ),
    (
        |it| it.edit(GRAPH, |it| it["nodes"][0]["agentId"] = json!("boss")),
        MissingAgent,
        GRAPH,
        "/nodes/0/agentId",
    ),
    (
        |it| it.edit(GRAPH, |it| it["nodes"][0]["file"] = json!("steps/no.md")),
        MissingFile,
        GRAPH,
        "/nodes/0/file",
    ),
    (
        |it| it.edit(GRAPH, |it| it["nodes"][0]["file"] = json!("/etc/passwd")),
        BadPath,
        GRAPH,
        "/nodes/0/file",
    ),
    (
        |it| it.edit(GRAPH, |it| it["nodes"][0]["file"] = json!("steps\\ask.md")),
        BadPath,
        GRAPH,
        "/nodes/0/file",
    ),
    (
        |it| it.edit(GRAPH, |it| it["nodes"][0]["type"] = json!("subworkflow")),
        UnsupportedNode,
        GRAPH,
        "/nodes/0/type",
    ),
    (
        |it| it.edit(GRAPH, |it| it["nodes"][0]["type"] = json!("loop")),
        Schema,
        GRAPH,
        "/nodes/0/type",
    ),
    (
        |it| it.edit(GRAPH, |it| it["nodes"][3]["type"] = json!("step")),
        NoEnd,
        GRAPH,
        "/nodes",
    ),
    (
        |it| it.edit(GRAPH, |it| it["edges"][3]["to"] = json!("write")),
        DeadEnd,
        GRAPH,
        "/nodes/0",
    ),
    (
        |it| it.edit(GRAPH, |it| it["edges"][3]["label"] = json!("fix")),
        DuplicateLabel,
        GRAPH,
        "/edges/3/label",
    ),
    (
        |it| {
            it.edit(GRAPH, |it| {
                it["nodes"] = json!(vec![it["nodes"][0].clone(); MAX_NODES + 1]);
            });
        },
        TooLarge,
        GRAPH,
        "/nodes",
    ),
    (
        |it| it.text(GRAPH, &" ".repeat(MAX_TEXT_BYTES + 1)),
        TooLarge,
        "bmad.json",
        "/workflows/1/graph",
    ),
    (
        |it| it.replace("workflow.md", "notes", "''"),
        Schema,
        "workflow.md",
        "/workflowType",
    ),
    (
        |it| it.replace("workflow.md", "currentNodeId: \"\"", "currentNodeId: x"),
        MissingNode,
        "workflow.md",
        "/currentNodeId",
    ),
    (
        |it| it.text("steps/ask.md", "Do it.\n"),
        Schema,
        "steps/ask.md",
        "",
    ),
    (
        |it| it.replace("steps/ask.md", "input: user", "input: model"),
        Schema,
        "steps/ask.md",
        "/input",
    ),
    (
        |it| it.replace("steps/write.md", "artifacts/", "../"),
        BadPath,
        "steps/write.md",
        "/requiredOutputs/0",
    ),
    (
        |it| it.replace("steps/review.md", "maxVisits: 3", "maxVisits: 0"),
        Schema,
        "steps/review.md",
        "/maxVisits",
    ),
];

#[test]
fn each_mistake_is_named_with_its_place() {
    for (index, (break_it, code, file, pointer)) in BROKEN.into_iter().enumerate() {
        let mut sample = Sample::new();
        break_it(&mut sample);
        let problems = sample.read().package.unwrap_err();
        let is_it = problems
            .iter()
            .any(|it| (it.code, it.file.as_str(), it.pointer.as_str()) == (code, file, pointer));
        assert!(is_it, "{index}: {code:?} {file} {pointer}: {problems:#?}");
    }
}

/// Mistakes by their numbers that can be made in one package, since none hides another.
const TOGETHER: [usize; 13] = [2, 3, 4, 5, 11, 15, 19, 23, 26, 27, 29, 30, 31];

#[test]
fn all_mistakes_are_told_at_once() {
    let mut sample = Sample::new();
    let mut expected = Vec::new();
    for index in TOGETHER {
        let (break_it, code, file, pointer) = BROKEN[index];
        break_it(&mut sample);
        expected.push((code, file, pointer));
    }
    let problems = sample.read().package.unwrap_err();
    for (code, file, pointer) in &expected {
        let is_it = problems
            .iter()
            .any(|it| (it.code, it.file.as_str(), it.pointer.as_str()) == (*code, *file, *pointer));
        assert!(is_it, "{code:?} {file} {pointer}: {problems:#?}");
    }
}

#[test]
fn what_contradicts_the_graph_is_not_reached_or_cannot_be_left_is_a_warning() {
    let cases: [Broken; 9] = [
        (
            |it| it.replace("steps/ask.md", "nodeId: ask", "nodeId: b"),
            StepDiffers,
            "steps/ask.md",
            "/nodeId",
        ),
        (
            |it| it.replace("steps/ask.md", "type: step", "type: merge"),
            StepDiffers,
            "steps/ask.md",
            "/type",
        ),
        (
            |it| it.replace("steps/ask.md", "input:", "agentId: critic\ninput:"),
            StepDiffers,
            "steps/ask.md",
            "/agentId",
        ),
        (
            |it| it.replace("steps/review.md", "label: good", "label: bad"),
            StepDiffers,
            "steps/review.md",
            "/transitions",
        ),
        (
            |it| it.edit(GRAPH, |it| it["entryNodeId"] = json!("write")),
            Unreachable,
            GRAPH,
            "/nodes/0",
        ),
        (
            |it| {
                it.replace(
                    "steps/ask.md",
                    "input:",
                    "tools: {allow: [Read, Bash]}\ninput:",
                );
            },
            CannotLeave,
            "steps/ask.md",
            "/tools",
        ),
        (
            |it| {
                it.replace(
                    "steps/ask.md",
                    "input:",
                    "tools: {allow: [fs_apply_patch]}\ninput:",
                );
            },
            CannotLeave,
            "steps/ask.md",
            "/tools",
        ),
        (
            |it| it.replace("steps/write.md", "deny: [Bash]", "deny: [\"fs_*\"]"),
            CannotLeave,
            "steps/write.md",
            "/tools",
        ),
        (
            |it| {
                it.edit("agents.json", |it| {
                    it["agents"][1]["tools"]["fs"] = json!({"enabled": false});
                });
                it.edit(GRAPH, |it| it["nodes"][2]["agentId"] = json!("critic"));
            },
            CannotLeave,
            "steps/review.md",
            "",
        ),
    ];
    for (change, code, file, pointer) in cases {
        let mut sample = Sample::new();
        change(&mut sample);
        assert!(sample.read().package.is_ok(), "{pointer}");
        let found = sample.problems();
        let found: Vec<_> = found
            .iter()
            .map(|it| (it.code, it.file.as_str(), it.pointer.as_str()))
            .collect();
        assert_eq!(found, [(code, file, pointer)]);
    }
}

#[test]
fn a_node_with_few_tools_is_left_with_one_that_reads_and_one_that_changes_the_document() {
    for allow in ["[fs_read, fs_apply_patch]", "[Read, \"fs_w*\"]", "[\"*\"]"] {
        let mut sample = Sample::new();
        let tools = format!("tools: {{allow: {allow}, deny: [Bash]}}\ninput:");
        sample.replace("steps/ask.md", "input:", &tools);
        assert_eq!(sample.problems(), [], "{allow}");
    }
}
