//! A package that can run, and changes of it.

use std::collections::BTreeMap;

use scorel_workflow::{Package, PackageFiles, PackageReading, Problem};
use serde_json::{Value, json};

#[derive(Clone)]
pub(crate) struct Sample(pub(crate) BTreeMap<String, Vec<u8>>);

impl Sample {
    /// A review and a fix in a circle, a question for a person, a second workflow with a decision and a merge.
    pub(crate) fn new() -> Self {
        let mut sample = Self(BTreeMap::new());
        sample.json("bmad.json", &json!({
            "schemaVersion": "1.1", "name": "notes", "version": "1.0.0", "description": "Writes notes",
            "entry": {"workflow": "workflow.md", "graph": "workflow.graph.json", "agents": "agents.json"},
            "workflows": [
                {"id": "short", "displayName": "Short notes", "workflow": "workflow.md", "graph": "short.graph.json"},
                {"id": "long", "workflow": "workflow.md", "graph": "workflow.graph.json"},
            ],
        }));
        sample.json(
            "workflow.graph.json",
            &graph(
                &[
                    ("ask", "step"),
                    ("write", "step"),
                    ("review", "step"),
                    ("end-99", "end"),
                ],
                &[
                    ("ask", "write", "next"),
                    ("write", "review", "next"),
                    ("review", "write", "fix"),
                    ("review", "end-99", "good"),
                ],
            ),
        );
        sample.json(
            "short.graph.json",
            &graph(
                &[
                    ("which", "decision"),
                    ("write", "step"),
                    ("join", "merge"),
                    ("end-99", "end"),
                ],
                &[
                    ("which", "write", "new"),
                    ("which", "join", "old"),
                    ("write", "join", "next"),
                    ("join", "end-99", "next"),
                ],
            ),
        );
        sample.json(
            "agents.json",
            &json!({"schemaVersion": "1.1", "agents": [agent("writer"), agent("critic")]}),
        );
        sample.text("workflow.md", "---\nschemaVersion: \"1.1\"\nworkflowType: notes\ncurrentNodeId: \"\"\nstepsCompleted: []\n---\n");
        for (id, kind, more) in [
            ("ask", "step", "input: user\n"),
            (
                "write",
                "step",
                "requiredOutputs: [artifacts/notes.md]\ntools:\n  deny: [Bash]\n",
            ),
            (
                "review",
                "step",
                "maxVisits: 3\ntransitions:\n  - {to: end-99, label: good}\n  - {to: write, label: fix}\n",
            ),
            ("which", "decision", ""),
            ("join", "merge", ""),
            ("end-99", "end", ""),
        ] {
            let head = format!(
                "---\nschemaVersion: '1.1'\nnodeId: {id}\ntype: {kind}\n{more}---\nDo it.\n"
            );
            sample.text(&format!("steps/{id}.md"), &head);
        }
        sample
            .0
            .insert("assets/logo.png".to_owned(), vec![0x89, b'P', b'N', b'G']);
        sample
    }

    pub(crate) fn text(&mut self, path: &str, text: &str) {
        self.0.insert(path.to_owned(), text.as_bytes().to_vec());
    }

    pub(crate) fn json(&mut self, path: &str, value: &Value) {
        self.text(path, &value.to_string());
    }

    /// Changes a JSON file.
    pub(crate) fn edit(&mut self, path: &str, change: impl FnOnce(&mut Value)) {
        let mut value = serde_json::from_slice(&self.0[path]).unwrap();
        change(&mut value);
        self.json(path, &value);
    }

    /// Changes a text, in one place.
    pub(crate) fn replace(&mut self, path: &str, old: &str, new: &str) {
        let text = String::from_utf8(self.0[path].clone()).unwrap();
        assert_eq!(text.matches(old).count(), 1, "{path}: {old}");
        self.text(path, &text.replace(old, new));
    }

    pub(crate) fn files(&self) -> PackageFiles {
        let mut files = PackageFiles::default();
        for (path, bytes) in &self.0 {
            files.insert(path, bytes.clone()).unwrap();
        }
        files
    }

    pub(crate) fn read(&self) -> PackageReading {
        Package::read(&self.files())
    }

    /// The problems, and with them the warnings.
    pub(crate) fn problems(&self) -> Vec<Problem> {
        let reading = self.read();
        let mut problems = reading.package.err().unwrap_or_default();
        problems.extend(reading.warnings);
        problems
    }
}

fn graph(nodes: &[(&str, &str)], edges: &[(&str, &str, &str)]) -> Value {
    let nodes = nodes
        .iter()
        .map(|(id, kind)| json!({"id": id, "type": kind, "file": format!("steps/{id}.md")}));
    let edges = edges
        .iter()
        .map(|(from, to, label)| json!({"from": from, "to": to, "label": label}));
    let (nodes, edges): (Vec<_>, Vec<_>) = (nodes.collect(), edges.collect());
    json!({"schemaVersion": "1.1", "entryNodeId": nodes[0]["id"], "nodes": nodes, "edges": edges})
}

fn agent(id: &str) -> Value {
    json!({
        "id": id,
        "metadata": {"name": "Ann", "title": "Writer", "icon": "*"},
        "persona": {"role": "r", "identity": "i", "communication_style": "c", "principles": ["p"]},
        "tools": {"fs": {"maxReadBytes": 1000}, "mcp": {"enabled": true, "allowedServers": ["search"]}},
    })
}
