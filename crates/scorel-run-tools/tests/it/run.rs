//! A run in a home, with the tools of its session.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use scorel_engine::{BlobSink, Permit, Tool, ToolCall, ToolContext, ToolList, ToolOutcome};
use scorel_proto::{BlobHash, Block, RunMode, SessionId};
use scorel_run_tools::{BoundRun, RunPlaces, RunTools, ToolLimits, run_tools};
use scorel_tools::{ProjectTools, ToolHost};
use scorel_workflow::{Package, PackageFiles};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::watch;

/// The document that the run begins with; the template has notes of its own.
pub(crate) const DOCUMENT: &str = "---\n# state of the run\nschemaVersion: \"1.1\"\nworkflowType: notes # kind\nrunId: run_1\n\
    currentNodeId: \"\"\nstepsCompleted: []\nvariables: {}\nowner: ann\n---\n# Notes\n";

pub(crate) struct TestRun {
    dir: PathBuf,
    /// Absent if the directory is another's.
    _own: Option<TempDir>,
    pub(crate) bound: BoundRun,
    pub(crate) session: ProjectTools,
}

/// The result of a call: the JSON of its text.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) json: Value,
    pub(crate) outcome: ToolOutcome,
}

#[derive(Debug)]
struct OneRun(Arc<BoundRun>);

impl RunPlaces for OneRun {
    fn bound(&self, _: SessionId) -> Option<Arc<BoundRun>> {
        Some(Arc::clone(&self.0))
    }
}

#[derive(Debug)]
struct NoRun;

impl RunPlaces for NoRun {
    fn bound(&self, _: SessionId) -> Option<Arc<BoundRun>> {
        None
    }
}

#[derive(Debug)]
struct NoBlobs;

impl BlobSink for NoBlobs {
    fn store(&self, _: &[u8]) -> io::Result<BlobHash> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl TestRun {
    /// `ask → write → review → write | end-99`; `write` must write `artifacts/notes.md` and has no commands, `review`
    /// reads only, and is another agent's, which has no servers.
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in package() {
            let target = dir.path().join("home/store/digest").join(path);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::write(target, text).unwrap();
        }
        let state = dir.path().join("home/runs/run_1/state");
        fs::create_dir_all(&state).unwrap();
        fs::write(state.join("workflow.md"), DOCUMENT).unwrap();
        fs::create_dir(dir.path().join("project")).unwrap();
        let run = Self::at(dir.path());
        Self {
            _own: Some(dir),
            ..run
        }
    }

    /// The run in a directory that another process has made.
    pub(crate) fn at(dir: &Path) -> Self {
        let (home, project) = (dir.join("home"), dir.join("project"));
        let mut files = PackageFiles::default();
        for (path, text) in package() {
            files.insert(&path, text.into_bytes()).unwrap();
        }
        let package = Package::read(&files).package.unwrap();
        let host = ToolHost::new(&home, Arc::new(NoBlobs));
        Self {
            session: ProjectTools::new(&project, host).unwrap(),
            bound: BoundRun {
                package: Arc::new(package),
                workflow: None,
                package_dir: home.join("store/digest"),
                run_dir: home.join("runs/run_1"),
                mode: RunMode::Run,
                limits: ToolLimits::default(),
            },
            dir: dir.to_owned(),
            _own: None,
        }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.join("home")
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.dir.join("project")
    }

    pub(crate) fn document(&self) -> PathBuf {
        self.bound.run_dir.join("state/workflow.md")
    }

    pub(crate) fn text(&self) -> String {
        fs::read_to_string(self.document()).unwrap()
    }

    /// The tools of a turn that begins now.
    pub(crate) fn turn(&self) -> Turn {
        let places = OneRun(Arc::new(self.bound.clone()));
        let run = run_tools(&places, SessionId::generate(), &self.session).unwrap();
        Turn::new(&self.session, run.unwrap())
    }

    /// The tools of a turn of a session that is not bound any more.
    pub(crate) fn released(&self) -> ToolList {
        let run = run_tools(&NoRun, SessionId::generate(), &self.session).unwrap();
        assert!(run.is_none());
        ToolList::new(self.session.list()).unwrap()
    }
}

/// The tools of one turn.
pub(crate) struct Turn {
    pub(crate) run: RunTools,
    pub(crate) list: ToolList,
}

impl Turn {
    fn new(session: &ProjectTools, run: RunTools) -> Self {
        let tools: Vec<Arc<dyn Tool>> = session.list().into_iter().chain(run.list()).collect();
        Self {
            list: ToolList::new(tools).unwrap().screened_by(&run.screen()),
            run,
        }
    }

    /// Calls a tool as the engine does, without a gate.
    pub(crate) fn call(&self, tool: &str, input: Value) -> Answer {
        let call = ToolCall {
            id: "tc01".to_owned(),
            name: tool.to_owned(),
            input,
            invalid_input: None,
        };
        let outcome = match self.list.refusal(&call) {
            Some(refused) => refused,
            None => run(&self.list, call),
        };
        let [Block::Text { text, .. }] = outcome.content.as_slice() else {
            panic!("{outcome:?}");
        };
        Answer {
            json: serde_json::from_str(text).unwrap_or(Value::Null),
            outcome,
        }
    }

    pub(crate) fn patch(&self, update: Value) -> Answer {
        let mut input = json!({"path": "@state/workflow.md", "operation": "updateFrontmatter"});
        input["update"] = update;
        self.call("fs_apply_patch", input)
    }

    /// Reads the document, and leaves a node for another.
    pub(crate) fn go(&self, node: &str, to: &str) -> Answer {
        self.call("fs_read", json!({"path": "@state/workflow.md"}))
            .ok();
        self.patch(json!({"stepsCompleted": {"append": [node]}, "currentNodeId": {"set": to}}))
    }
}

impl Answer {
    pub(crate) fn ok(&self) -> &Value {
        assert!(!self.outcome.is_error, "{:?}", self.outcome);
        assert_eq!(self.json["ok"], json!(true));
        &self.json
    }

    pub(crate) fn code(&self) -> &str {
        assert!(self.outcome.is_error, "{:?}", self.outcome);
        let details = self.outcome.details.as_ref().unwrap();
        assert_eq!(details["ok"], json!(false));
        details["error"]["code"].as_str().unwrap()
    }

    pub(crate) fn details(&self) -> &Value {
        &self.outcome.details.as_ref().unwrap()["error"]["details"]
    }
}

pub(crate) fn run(list: &ToolList, call: ToolCall) -> ToolOutcome {
    let runtime = tokio::runtime::Builder::new_multi_thread().build().unwrap();
    runtime.block_on(async {
        let plan = list.plan(call).await;
        let context = ToolContext {
            updates: watch::Sender::new(None),
            cancel: Default::default(),
        };
        plan.run(Permit::default(), context).await
    })
}

/// The names of the files in a directory.
pub(crate) fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let names = entries.map(|it| it.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn package() -> Vec<(String, String)> {
    let manifest = json!({
        "schemaVersion": "1.1", "name": "notes", "version": "1.0.0", "description": "Writes notes",
        "entry": {"workflow": "workflow.md", "graph": "workflow.graph.json", "agents": "agents.json"},
    });
    let steps = [
        ("ask", "step", "writer", "input: user\n"),
        (
            "write",
            "step",
            "writer",
            "requiredOutputs: [artifacts/notes.md]\ntools: {deny: [Bash, fs_list]}\n",
        ),
        (
            "review",
            "step",
            "critic",
            "maxVisits: 2\ntools: {allow: [\"fs_*\", mcp__search__find], deny: [fs_write]}\n",
        ),
        ("end-99", "end", "writer", ""),
    ];
    let nodes = steps.map(
        |(id, kind, agent, _)| json!({"id": id, "type": kind, "file": format!("steps/{id}.md"), "agentId": agent}),
    );
    let edges = [
        ("ask", "write", "next"),
        ("write", "review", "next"),
        ("review", "write", "fix"),
        ("review", "end-99", "good"),
    ];
    let edges = edges.map(|(from, to, label)| json!({"from": from, "to": to, "label": label}));
    let graph =
        json!({"schemaVersion": "1.1", "entryNodeId": "ask", "nodes": nodes, "edges": edges});
    let agent = |id: &str, tools: Value| {
        json!({
            "id": id, "metadata": {"name": "Ann", "title": "Writer", "icon": "*"},
            "persona": {"role": "r", "identity": "i", "communication_style": "c", "principles": ["p"]}, "tools": tools,
        })
    };
    let agents = json!({"schemaVersion": "1.1", "agents": [
        agent("writer", json!({"fs": {"maxReadBytes": 100_000, "maxWriteBytes": 60_000}, "mcp": {"enabled": true, "allowedServers": ["search"]}})),
        agent("critic", json!({"fs": {"maxReadBytes": 1_000}})),
    ]});
    let mut files = vec![
        ("bmad.json".to_owned(), manifest.to_string()),
        ("workflow.graph.json".to_owned(), graph.to_string()),
        ("agents.json".to_owned(), agents.to_string()),
        ("workflow.md".to_owned(), DOCUMENT.to_owned()),
    ];
    for (id, kind, _, more) in steps {
        let text =
            format!("---\nschemaVersion: '1.1'\nnodeId: {id}\ntype: {kind}\n{more}---\nDo {id}.\n");
        files.push((format!("steps/{id}.md"), text));
    }
    files
}
