use std::fs;
use std::path::Path;

use serde_json::json;

/// The template of the document of runs.
const DOCUMENT: &str = "---\nschemaVersion: '1.1'\nworkflowType: bench\ncurrentNodeId: ''\nstepsCompleted: []\n\
                        variables: {}\n---\n# Notes\n";

/// Writes a package into a directory: a ring of steps `n0`, `n1`, … of which the last also leads to the end.
pub(super) fn write_package(root: &Path, nodes: usize) {
    let steps = nodes - 1;
    let id = |number: usize| format!("n{number}");
    let mut graph_nodes = vec![json!({"id": "end", "type": "end", "file": "steps/end.md"})];
    let mut edges = vec![json!({"from": id(steps - 1), "to": "end", "label": "done"})];
    fs::create_dir_all(root.join("steps")).unwrap();
    let step = |id: &str, kind: &str| {
        let head = format!("schemaVersion: '1.1'\nnodeId: {id}\ntype: {kind}\n");
        let text = format!("---\n{head}---\n# {id}\n\nDo it, and complete the node.\n");
        fs::write(root.join(format!("steps/{id}.md")), text).unwrap();
    };
    step("end", "end");
    for number in 0..steps {
        let (from, to) = (id(number), id((number + 1) % steps));
        step(&from, "step");
        graph_nodes.push(json!({"id": from, "type": "step", "file": format!("steps/{from}.md")}));
        edges.push(json!({"from": from, "to": to, "label": "next"}));
    }
    let manifest = json!({
        "schemaVersion": "1.1", "name": "bench", "version": "1.0.0",
        "entry": {"workflow": "workflow.md", "graph": "graph.json", "agents": "agents.json"},
    });
    let graph = json!({
        "schemaVersion": "1.1", "entryNodeId": "n0", "nodes": graph_nodes, "edges": edges,
    });
    let persona = json!({
        "role": "writes", "identity": "a writer", "communication_style": "short", "principles": "truth",
    });
    let metadata = json!({"name": "Ann", "title": "Writer", "icon": "*"});
    let agents = json!({
        "schemaVersion": "1.1",
        "agents": [{"id": "ann", "metadata": metadata, "persona": persona}],
    });
    for (file, text) in [
        ("bmad.json", manifest.to_string()),
        ("graph.json", graph.to_string()),
        ("agents.json", agents.to_string()),
        ("workflow.md", DOCUMENT.to_owned()),
    ] {
        fs::write(root.join(file), text).unwrap();
    }
}
