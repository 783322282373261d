use crate::agent::Agent;
use crate::graph::Graph;
use crate::manifest::Manifest;
use crate::node::Node;
use crate::problem::Problem;
use crate::step::StepSettings;

/// A package that can run.
#[derive(Debug, Clone)]
pub struct Package {
    pub manifest: Manifest,
    /// The first is the one of nodes that name none.
    pub agents: Vec<Agent>,
    /// The first is the one that runs if none is named.
    pub workflows: Vec<Workflow>,
    /// A digest over all files.
    pub digest: String,
}

/// One workflow of a package.
#[derive(Debug, Clone)]
pub struct Workflow {
    /// `None` if the manifest has it as its entry only.
    pub id: Option<String>,
    pub title: String,
    /// The path of the template of the document.
    pub document: String,
    /// The path of the graph.
    pub graph_file: String,
    pub graph: Graph,
    /// Of each node of the graph, in their order.
    pub steps: Vec<StepSettings>,
}

/// A package as it was read.
#[derive(Debug)]
pub struct PackageReading {
    /// The package, or all that is wrong, by files and places.
    pub package: Result<Package, Vec<Problem>>,
    /// Things that look wrong, and hinder no run.
    pub warnings: Vec<Problem>,
}

impl Package {
    /// The workflow of an id, or the one that runs if none is named.
    pub fn workflow(&self, id: Option<&str>) -> Option<&Workflow> {
        match id {
            None => self.workflows.first(),
            Some(id) => self
                .workflows
                .iter()
                .find(|it| it.id.as_deref() == Some(id)),
        }
    }
}

impl Workflow {
    /// The nodes, each with the settings of its step.
    pub fn nodes(&self) -> impl Iterator<Item = (&Node, &StepSettings)> {
        self.graph.nodes().iter().zip(&self.steps)
    }

    /// The settings of a node's step.
    pub fn step(&self, id: &str) -> Option<&StepSettings> {
        self.steps.get(self.graph.index(id)?)
    }
}
