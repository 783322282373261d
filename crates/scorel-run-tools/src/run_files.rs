use std::sync::Arc;

use scorel_engine::{SessionTool, Tool, ToolOutcome, ToolSpec};
use scorel_tools::{FilePlan, SessionFiles, ToolError};
use serde_json::Value;

use crate::answer::failure;
use crate::run_guard::RunGuard;
use crate::run_policy::RunPolicy;

/// The files that the tools of a run work on.
#[derive(Debug, Clone)]
pub(crate) struct RunFiles {
    pub(crate) files: Arc<SessionFiles>,
    pub(crate) policy: Arc<RunPolicy>,
    /// Absent where the state is read-only.
    pub(crate) guard: Option<Arc<RunGuard>>,
}

/// Plans a call, or tells why it cannot run.
pub(crate) type PlanRunFiles = fn(&RunFiles, Value) -> Result<FilePlan, ToolError>;

impl RunFiles {
    /// A tool whose results are JSON texts.
    pub(crate) fn tool(&self, spec: ToolSpec, plan: PlanRunFiles) -> Arc<dyn Tool> {
        Arc::new(SessionTool {
            spec,
            session: (self.clone(), plan),
            plan: |(run, plan), input| -> Result<_, ToolOutcome> {
                let planned = plan(run, input).map_err(failure)?;
                Ok(planned.failing_as(failure).on(Arc::clone(&run.files)))
            },
        })
    }
}
