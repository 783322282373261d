//! A skill with steps as a workflow package: its files as they are, and beside them a graph that leads through its steps.

use scorel_frontmatter::{EditError, Frontmatter, FrontmatterError};
use scorel_workflow::{MANIFEST, PackageId};
use serde_json::{Value, json};

use super::skill_files::SkillFiles;
use super::skill_step::{SkillStep, headed};
use crate::failure::Failure;

/// The file that makes a directory a skill.
const SKILL: &str = "SKILL.md";

const GRAPH: &str = "workflow.graph.json";
const AGENTS: &str = "agents.json";
const DOCUMENT: &str = "run.md";
const END: &str = "end-99";
const END_FILE: &str = "steps/end-99.md";

/// The one agent of the package.
const AGENT: &str = "skill";

/// Rules for an agent that has the texts of a skill as steps of a run.
const ACTIONS: [&str; 5] = [
    "Before the first step, read `@pkg/SKILL.md`, and follow its conventions in each step.",
    "Files of the skill, such as `./steps/` or `{skill-root}`, are below `@pkg/`, which is read-only.",
    "Where a step shows a menu, show it and end your turn: a person chooses.",
    "Where a step has you load the next step, complete the node by a patch of `@state/workflow.md` instead; the brief names the next \
     node.",
    "A head with progress that the skill wants in a document of the project is kept there too; the run's own is `@state/workflow.md`.",
];

const END_TEXT: &str = "# End\n\nSay in a few lines what was made and where it is. Complete the run: append `end-99` to `stepsCompleted`.\n";

/// A package that was made of a skill.
#[derive(Debug)]
pub(super) struct SkillPackage {
    pub(super) files: SkillFiles,
    pub(super) steps: Vec<SkillStep>,
    /// Files below `steps/` that are not steps of the graph.
    pub(super) others: Vec<String>,
}

/// The reason why a skill is not made a package.
#[derive(Debug, thiserror::Error)]
pub(super) enum SkillPackageError {
    #[error("it has no {SKILL} that is a text")]
    NoSkill,
    #[error("{SKILL}: {0}")]
    Head(#[from] FrontmatterError),
    #[error("it has no `steps/step-NN-NAME.md`; a skill without steps is used as it is")]
    NoSteps,
    #[error("it has a file `{0}` already, which a package has for itself")]
    Taken(&'static str),
    #[error("{file}: {error}")]
    Step { file: String, error: EditError },
}

impl SkillPackage {
    /// Makes a package of the files of a skill. Its name is `id`, else that of the skill.
    pub(super) fn of(
        mut files: SkillFiles,
        id: Option<&PackageId>,
    ) -> Result<Self, SkillPackageError> {
        let head = Frontmatter::parse(files.text(SKILL).ok_or(SkillPackageError::NoSkill)?)?;
        let name = head.text("name")?.unwrap_or_default().to_owned();
        let description = head
            .text("description")?
            .unwrap_or_default()
            .trim()
            .to_owned();
        let name = id.map_or(name, ToString::to_string);
        for path in [MANIFEST, GRAPH, AGENTS, DOCUMENT, END_FILE] {
            if files.paths().any(|it| it == path) {
                return Err(SkillPackageError::Taken(path));
            }
        }
        let below = files.paths().filter(|path| path.starts_with("steps/"));
        let (mut steps, mut others) = (Vec::new(), Vec::new());
        for path in below {
            match files.text(path).and_then(|text| SkillStep::of(path, text)) {
                Some(step) => steps.push(step),
                None => others.push(path.to_owned()),
            }
        }
        if steps.is_empty() {
            return Err(SkillPackageError::NoSteps);
        }
        // By number: `step-10-` comes behind `step-9-`.
        steps.sort_by_key(|step| (step.number(), step.id.clone()));
        let next = steps
            .iter()
            .skip(1)
            .map(|step| step.id.as_str())
            .chain([END]);
        for (step, next) in steps.iter().zip(next) {
            let text = files.text(&step.file).unwrap_or_default();
            let text = step.headed(text, AGENT, next);
            let text = text.map_err(|error| SkillPackageError::of(&step.file, error))?;
            files.put(&step.file, text);
        }
        for (path, value) in [
            (MANIFEST, manifest(&name, &description)),
            (GRAPH, graph(&steps)),
            (AGENTS, agents(&name, &description)),
        ] {
            files.put(path, format!("{value:#}\n"));
        }
        for (path, text, fields) in [(DOCUMENT, "", document(&name)), (END_FILE, END_TEXT, end())] {
            let text = headed(text, fields);
            files.put(
                path,
                text.map_err(|error| SkillPackageError::of(path, error))?,
            );
        }
        Ok(Self {
            files,
            steps,
            others,
        })
    }
}

impl SkillPackageError {
    fn of(file: &str, error: EditError) -> Self {
        let file = file.to_owned();
        Self::Step { file, error }
    }
}

impl From<SkillPackageError> for Failure {
    fn from(error: SkillPackageError) -> Self {
        Self::refused(
            "skill_refused",
            format!("the skill is not imported: {error}"),
        )
    }
}

fn manifest(name: &str, description: &str) -> Value {
    json!({
        "schemaVersion": "1.1",
        "name": name,
        "version": "1.0.0",
        "description": description,
        "entry": { "workflow": DOCUMENT, "graph": GRAPH, "agents": AGENTS },
    })
}

fn graph(steps: &[SkillStep]) -> Value {
    let nodes = steps.iter().map(|step| {
        json!({ "id": step.id, "type": "step", "file": step.file, "title": step.title, "agentId": AGENT })
    });
    let end =
        json!({ "id": END, "type": "end", "file": END_FILE, "title": "End", "agentId": AGENT });
    let nodes: Vec<Value> = nodes.chain([end]).collect();
    let edges = nodes.windows(2).map(|pair| {
        json!({ "from": pair[0]["id"], "to": pair[1]["id"], "label": "next", "isDefault": true })
    });
    let edges: Vec<Value> = edges.collect();
    json!({ "schemaVersion": "1.1", "entryNodeId": steps[0].id, "nodes": nodes, "edges": edges })
}

fn agents(name: &str, description: &str) -> Value {
    let role = match description {
        "" => name,
        description => description,
    };
    let agent = json!({
        "id": AGENT,
        "metadata": { "name": name, "title": "Skill", "icon": "📘" },
        "persona": {
            "role": role,
            "identity": format!("You follow the skill {name}, a step at a time."),
            "communication_style": "As the skill says; else short and plain.",
            "principles": "The text of a step counts for that step only.",
        },
        "critical_actions": ACTIONS,
    });
    json!({ "schemaVersion": "1.1", "agents": [agent] })
}

fn document(name: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("schemaVersion", json!("1.1")),
        ("workflowType", json!(name)),
        ("currentNodeId", json!("")),
        ("stepsCompleted", json!([])),
    ]
}

fn end() -> Vec<(&'static str, Value)> {
    vec![
        ("schemaVersion", json!("1.1")),
        ("nodeId", json!(END)),
        ("type", json!("end")),
    ]
}
