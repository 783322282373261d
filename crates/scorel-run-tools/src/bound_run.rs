use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use scorel_proto::{RunMode, SessionId};
use scorel_workflow::{Agent, Package, Workflow};

use crate::tool_limits::ToolLimits;

/// A run that a session is bound to.
#[derive(Debug, Clone)]
pub struct BoundRun {
    pub package: Arc<Package>,
    /// The workflow's id in the package; `None` for the one that runs if none is named.
    pub workflow: Option<String>,
    /// The package as it was when the run was bound: `@pkg`.
    pub package_dir: PathBuf,
    /// The directory of the run. `state` in it is `@state`.
    pub run_dir: PathBuf,
    pub mode: RunMode,
    pub limits: ToolLimits,
}

/// Knows which sessions are bound to runs.
pub trait RunPlaces: fmt::Debug + Send + Sync {
    /// The run of a session, if it is bound to one. Called on a thread that may block.
    fn bound(&self, session: SessionId) -> Option<Arc<BoundRun>>;
}

impl BoundRun {
    /// `None` if the package has no such workflow.
    pub fn workflow(&self) -> Option<&Workflow> {
        self.package.workflow(self.workflow.as_deref())
    }

    /// The directory of `@state`.
    pub fn state_dir(&self) -> PathBuf {
        self.run_dir.join("state")
    }

    /// The agent of a node: its own, else the run's, else the first of the package.
    pub(crate) fn agent(&self, of_node: Option<&str>, of_run: Option<&str>) -> Option<&Agent> {
        let agents = &self.package.agents;
        match of_node.or(of_run) {
            Some(id) => agents.iter().find(|agent| agent.id == id),
            None => agents.first(),
        }
    }
}
