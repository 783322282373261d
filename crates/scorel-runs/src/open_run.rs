use std::path::PathBuf;
use std::sync::Arc;

use scorel_proto::RunProblem;
use scorel_workflow::{CurrentRun, Package, RunDocument, RunState, Workflow};

use crate::document_file::DocumentText;
use crate::error::RunError;
use crate::invalid_state::InvalidState;
use crate::run_dir::RunDir;
use crate::run_file::RunFile;
use crate::workflow_name::WorkflowName;

/// The package that a run is bound to, from its copy.
#[derive(Debug, Clone)]
pub(crate) struct BoundPackage {
    pub(crate) package: Arc<Package>,
    /// Where in the package the workflow is.
    pub(crate) workflow: usize,
    pub(crate) dir: PathBuf,
}

impl BoundPackage {
    /// `None` if the package has no such workflow.
    pub(crate) fn new(package: Arc<Package>, name: &WorkflowName, dir: PathBuf) -> Option<Self> {
        let named = |it: &Workflow| it.id.as_deref() == name.workflow.as_deref();
        let workflow = match name.workflow {
            None => (!package.workflows.is_empty()).then_some(0)?,
            Some(_) => package.workflows.iter().position(named)?,
        };
        Some(Self {
            package,
            workflow,
            dir,
        })
    }

    pub(crate) fn workflow(&self) -> &Workflow {
        &self.package.workflows[self.workflow]
    }
}

/// A run that can go on: its package and its document are as they must be.
#[derive(Debug, Clone)]
pub(crate) struct OpenRun {
    pub(crate) dir: RunDir,
    pub(crate) file: RunFile,
    pub(crate) bound: BoundPackage,
    pub(crate) text: DocumentText,
    pub(crate) document: RunDocument,
}

impl OpenRun {
    /// Reads the document of a run.
    pub(crate) fn read(dir: RunDir, file: RunFile, bound: BoundPackage) -> Result<Self, RunError> {
        let text = dir.read_document().map_err(RunError::StateInvalid)?;
        let parsed = RunDocument::parse(text.text.as_str());
        let document = parsed.map_err(|error| RunError::StateInvalid(error.into()))?;
        let run = Self {
            dir,
            file,
            bound,
            text,
            document,
        };
        let state = run.state();
        let other = |id: &String| *id != run.file.run_id.to_string();
        if state.run_id.as_ref().is_some_and(other) {
            let message = "it is the document of another run";
            return Err(RunError::StateInvalid(InvalidState::at("/runId", message)));
        }
        if run.current().node().is_none() {
            let message = format!("the workflow has no node `{}`", state.current_node_id);
            let invalid = InvalidState::at("/currentNodeId", message);
            return Err(RunError::StateInvalid(invalid));
        }
        Ok(run)
    }

    /// The run after its document was changed.
    pub(crate) fn reread(&self) -> Result<Self, RunError> {
        Self::read(self.dir.clone(), self.file.clone(), self.bound.clone())
    }

    pub(crate) fn state(&self) -> &RunState {
        self.document.state()
    }

    pub(crate) fn current(&self) -> CurrentRun<'_> {
        CurrentRun {
            name: &self.file.workflow,
            workflow: self.bound.workflow(),
            agents: &self.bound.package.agents,
            state: self.state(),
        }
    }

    /// The node that it is at, as the document names it or would.
    pub(crate) fn node_id(&self) -> &str {
        let current = self.current();
        current.node().map_or("", |(node, _)| node.id.as_str())
    }
}

/// The problem that keeps a run from going on, if an error is one.
pub(crate) fn problem(error: &RunError) -> Option<RunProblem> {
    match error {
        RunError::StateInvalid(invalid) => Some(invalid.problem()),
        RunError::PackageMissing { .. } => Some(RunProblem {
            code: "package_missing".to_owned(),
            message: error.to_string(),
            line: None,
            column: None,
            pointer: None,
        }),
        _ => None,
    }
}
