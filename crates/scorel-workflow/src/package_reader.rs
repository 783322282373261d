//! All mistakes of a package in one pass: a file that cannot be read hides only what it says itself.

use std::collections::{BTreeSet, HashMap, HashSet};

use scorel_frontmatter::Document;
use serde::Deserialize as _;
use serde_json::Value;

use crate::agent::Agent;
use crate::declared::{DeclaredGraph, check_shape};
use crate::findings::Findings;
use crate::format;
use crate::graph::Graph;
use crate::manifest::{MANIFEST, Manifest, Reference, WorkflowReference};
use crate::node::Node;
use crate::package::{Package, PackageReading, Workflow};
use crate::package_files::{NoText, PackageFiles};
use crate::package_path::path_mistake;
use crate::problem::ProblemCode;
use crate::shape::Shape;
use crate::step::StepSettings;

/// Places that a path of an output may begin with.
const MOUNTS: [&str; 2] = ["@project/", "@state/"];

/// Tools that read the document of a run, and those that change it.
const READING: [&str; 2] = ["fs_read", "Read"];
const CHANGING: [&str; 2] = ["fs_apply_patch", "fs_write"];

struct PackageReader<'a> {
    files: &'a PackageFiles,
    findings: Findings,
}

/// The agents of a package, and the ids of those that could not be read too.
struct DeclaredAgents {
    agents: Vec<Agent>,
    /// `None` if it is unknown which there are.
    ids: Option<HashSet<String>>,
}

/// A graph with the heads of its steps; `None` for what cannot be used.
#[derive(Clone)]
struct ReadGraph {
    graph: Option<Graph>,
    steps: Option<Vec<StepSettings>>,
    /// `None` if it is unknown which there are.
    ids: Option<HashSet<String>>,
}

impl Package {
    /// Reads a package from its files.
    pub fn read(files: &PackageFiles) -> PackageReading {
        let findings = Findings::default();
        let mut reader = PackageReader { files, findings };
        let package = reader.read();
        let (problems, warnings) = reader.findings.split();
        let package = match package {
            Some(package) if problems.is_empty() => Ok(package),
            _ => Err(problems),
        };
        PackageReading { package, warnings }
    }
}

impl<'a> PackageReader<'a> {
    /// The package; what is wrong is among the findings.
    fn read(&mut self) -> Option<Package> {
        let manifest = self.json(MANIFEST, (MANIFEST, ""))?;
        check_shape(MANIFEST, &manifest, &format::MANIFEST, &mut self.findings);
        let agents = self.agents(&manifest);
        let references = WorkflowReference::all(&manifest);
        self.check_ids(&manifest);
        let mut graphs: HashMap<String, ReadGraph> = HashMap::new();
        let mut workflows = Vec::new();
        for reference in references {
            let path = &reference.graph.path;
            let graph = match graphs.get(path) {
                Some(graph) => graph.clone(),
                None => {
                    let graph = self.graph(&reference.graph, &agents);
                    graphs.entry(path.clone()).or_insert(graph).clone()
                }
            };
            self.document(&reference.document, graph.ids.as_ref());
            workflows.push(workflow(reference, graph));
        }
        Some(Package {
            manifest: Manifest::of(&manifest),
            agents: agents.agents,
            workflows: workflows.into_iter().collect::<Option<_>>()?,
            digest: self.files.digest(),
        })
    }

    fn check_ids(&mut self, manifest: &Value) {
        let mut seen = BTreeSet::new();
        let workflows = manifest["workflows"].as_array().into_iter().flatten();
        for (workflow, index) in workflows.zip(0..) {
            if let Some(id) = workflow["id"].as_str().filter(|id| !seen.insert(*id)) {
                let message = format!("`{id}` is the id of another workflow too");
                let pointer = format!("/workflows/{index}/id");
                self.findings
                    .add(MANIFEST, pointer, ProblemCode::Schema, message);
            }
        }
    }

    fn agents(&mut self, manifest: &Value) -> DeclaredAgents {
        let none = DeclaredAgents {
            agents: Vec::new(),
            ids: None,
        };
        let Some(reference) = Reference::of(&manifest["entry"], "/entry", "agents") else {
            return none;
        };
        let Some(value) = self.json(&reference.path, (MANIFEST, &reference.pointer)) else {
            return none;
        };
        check_shape(&reference.path, &value, &format::AGENTS, &mut self.findings);
        let mut ids = HashSet::new();
        let declared: Vec<&Value> = value["agents"].as_array().into_iter().flatten().collect();
        for (index, agent) in declared.iter().enumerate() {
            if let Some(id) = agent["id"].as_str()
                && !ids.insert(id.to_owned())
            {
                let message = format!("`{id}` is the id of another agent too");
                let pointer = format!("/agents/{index}/id");
                self.findings
                    .add(&reference.path, pointer, ProblemCode::Schema, message);
            }
        }
        // One that does not decode is not of the format, which is reported.
        let agents = declared
            .into_iter()
            .filter_map(|it| Agent::deserialize(it).ok());
        DeclaredAgents {
            agents: agents.collect(),
            ids: Some(ids),
        }
    }

    fn graph(&mut self, reference: &Reference, agents: &DeclaredAgents) -> ReadGraph {
        let Some(value) = self.json(&reference.path, (MANIFEST, &reference.pointer)) else {
            return ReadGraph {
                graph: None,
                steps: None,
                ids: None,
            };
        };
        let declared = DeclaredGraph::read(&reference.path, &value, &mut self.findings);
        let mut steps = Vec::new();
        for (index, node) in &declared.nodes {
            let pointer = format!("/nodes/{index}");
            self.check_agent(&declared.file, &pointer, node, agents);
            let step = self.step(
                &declared,
                (&declared.file, &format!("{pointer}/file")),
                node,
            );
            if let Some(step) = &step {
                self.check_leaving(node, step, agents);
            }
            steps.push(step);
        }
        let ids = declared.nodes.iter().map(|(_, node)| node.id.clone());
        let has_ids = declared.nodes.len() == value["nodes"].as_array().map_or(0, Vec::len);
        ReadGraph {
            ids: has_ids.then(|| ids.collect()),
            graph: declared.checked(&mut self.findings),
            steps: steps.into_iter().collect(),
        }
    }

    fn check_agent(&mut self, file: &str, pointer: &str, node: &Node, agents: &DeclaredAgents) {
        let (Some(id), Some(ids)) = (&node.agent_id, &agents.ids) else {
            return;
        };
        if !ids.contains(id) {
            let message = format!("there is no agent `{id}`");
            self.findings.add(
                file,
                format!("{pointer}/agentId"),
                ProblemCode::MissingAgent,
                message,
            );
        }
    }

    fn step(
        &mut self,
        graph: &DeclaredGraph,
        named: (&str, &str),
        node: &Node,
    ) -> Option<StepSettings> {
        let head = self.head(&node.file, named, &format::STEP)?;
        let settings = StepSettings::deserialize(head).ok()?;
        for (output, index) in settings.required_outputs.iter().zip(0..) {
            let below = MOUNTS.iter().find_map(|mount| output.strip_prefix(mount));
            if let Some(mistake) = path_mistake(below.unwrap_or(output)) {
                let pointer = format!("/requiredOutputs/{index}");
                self.findings
                    .add(&node.file, pointer, ProblemCode::BadPath, mistake);
            }
        }
        self.compare(graph, node, &settings);
        Some(settings)
    }

    /// Warns of a node whose model can neither read nor change the document of the run.
    fn check_leaving(&mut self, node: &Node, step: &StepSettings, agents: &DeclaredAgents) {
        let mut known = agents.agents.iter();
        let agent = match &node.agent_id {
            Some(id) => known.find(|it| it.id == *id),
            None => known.next(),
        };
        let may_use = |tools: [&str; 2]| tools.iter().any(|name| step.tools.allows(name));
        let (pointer, reason) = if agent.is_some_and(|it| !it.tools.fs.enabled) {
            ("", "its agent has no tools on files")
        } else if !may_use(READING) {
            ("/tools", "it has no `fs_read`")
        } else if !may_use(CHANGING) {
            ("/tools", "it has no `fs_apply_patch`")
        } else {
            return;
        };
        let message = format!("the node cannot be left: {reason}");
        self.findings
            .add(&node.file, pointer, ProblemCode::CannotLeave, message);
    }

    /// Warns where a step's head and the graph contradict each other.
    fn compare(&mut self, graph: &DeclaredGraph, node: &Node, step: &StepSettings) {
        let mut differs = |pointer: &str, message: String| {
            self.findings
                .add(&node.file, pointer, ProblemCode::StepDiffers, message);
        };
        if step.node_id != node.id {
            differs(
                "/nodeId",
                format!("the graph has this file for `{}`", node.id),
            );
        }
        if step.kind != node.kind.to_string() {
            differs(
                "/type",
                format!("the node's type in the graph is `{}`", node.kind),
            );
        }
        if step.agent_id.is_some() && step.agent_id != node.agent_id {
            let agent = node.agent_id.as_deref().unwrap_or_default();
            differs(
                "/agentId",
                format!("the node's agent in the graph is `{agent}`"),
            );
        }
        let told = step
            .transitions
            .iter()
            .map(|it| (it.to.as_str(), it.label.as_str()));
        let told: BTreeSet<(&str, &str)> = told.collect();
        let known: BTreeSet<(&str, &str)> = graph.ways_from(&node.id).collect();
        if !told.is_empty() && told != known {
            differs(
                "/transitions",
                "the graph has other edges from this node".to_owned(),
            );
        }
    }

    fn document(&mut self, reference: &Reference, ids: Option<&HashSet<String>>) {
        let head = self.head(
            &reference.path,
            (MANIFEST, &reference.pointer),
            &format::DOCUMENT,
        );
        let (Some(head), Some(ids)) = (head, ids) else {
            return;
        };
        let current = head["currentNodeId"].as_str().unwrap_or_default();
        if !current.is_empty() && !ids.contains(current) {
            let message = format!("there is no node `{current}`");
            self.findings.add(
                &reference.path,
                "/currentNodeId",
                ProblemCode::MissingNode,
                message,
            );
        }
    }

    /// The head of a file, also if it is not of the form.
    fn head(&mut self, path: &str, named: (&str, &str), shape: &Shape) -> Option<Value> {
        let text = self.text(path, named)?;
        match Document::parse(text) {
            Ok(document) => {
                let value = Value::Object(document.values().clone());
                check_shape(path, &value, shape, &mut self.findings);
                Some(value)
            }
            Err(error) => {
                self.findings
                    .add(path, "", ProblemCode::Schema, error.to_string());
                None
            }
        }
    }

    fn json(&mut self, path: &str, named: (&str, &str)) -> Option<Value> {
        let text = self.text(path, named)?;
        match serde_json::from_str(text) {
            Ok(value) => Some(value),
            Err(error) => {
                self.findings.add(
                    path,
                    "",
                    ProblemCode::Schema,
                    format!("it is not JSON: {error}"),
                );
                None
            }
        }
    }

    /// The text of a file that is named at a place of another.
    fn text(&mut self, path: &str, (file, pointer): (&str, &str)) -> Option<&'a str> {
        if let Some(mistake) = path_mistake(path) {
            self.findings.add(
                file,
                pointer,
                ProblemCode::BadPath,
                format!("`{path}`: {mistake}"),
            );
            return None;
        }
        let (code, message) = match self.files.text(path) {
            Ok(text) => return Some(text),
            Err(NoText::Missing) => (
                ProblemCode::MissingFile,
                format!("there is no file `{path}`"),
            ),
            Err(NoText::TooLarge) => (
                ProblemCode::TooLarge,
                format!("`{path}` has more than 1 MiB"),
            ),
            Err(NoText::NotText) => (
                ProblemCode::Schema,
                format!("`{path}` is not a text in UTF-8"),
            ),
        };
        self.findings.add(file, pointer, code, message);
        None
    }
}

fn workflow(reference: WorkflowReference, graph: ReadGraph) -> Option<Workflow> {
    Some(Workflow {
        id: reference.id,
        title: reference.title,
        document: reference.document.path,
        graph_file: reference.graph.path,
        graph: graph.graph?,
        steps: graph.steps?,
    })
}
