//! Tools on the session's files.

use std::fmt;
use std::sync::Arc;

use scorel_engine::{
    Blocking, BlockingTool, Permit, Planned, Prerequisite, Tool, ToolCall, ToolContext,
    ToolOutcome, ToolSpec,
};
use scorel_proto::FileBefore;
use serde_json::Value;

use crate::error::ToolError;
use crate::pace::Pace;
use crate::running_call::RunningCall;
use crate::session_files::{PlannedWrite, SessionFiles};
use crate::tool_output::ToolOutput;

/// A tool that needs nothing but the session's files.
pub(crate) trait FileTool: fmt::Debug + Send + Sync + 'static {
    /// The parsed and resolved call.
    type Plan: Send + 'static;

    /// True if it changes a file, which is looked at before; see [`BlockingTool::RECORDS`].
    const RECORDS: bool = false;

    fn spec(&self) -> ToolSpec;

    fn plan(&self, files: &SessionFiles, input: Value) -> Result<Planned<Self::Plan>, ToolError>;

    /// The write that the run will make; its file is looked at right before.
    fn write(_: &mut Self::Plan) -> Option<&mut Result<PlannedWrite, ToolError>> {
        None
    }

    fn run(&self, call: &RunningCall, plan: Self::Plan) -> Result<ToolOutput, ToolError>;
}

/// A file tool of one session.
#[derive(Debug)]
struct OnFiles<T> {
    tool: T,
    files: Arc<SessionFiles>,
}

/// A file tool as an entry of the session's list.
pub(crate) fn on_files<T: FileTool>(tool: T, files: &Arc<SessionFiles>) -> Arc<dyn Tool> {
    let files = Arc::clone(files);
    Blocking::shared(OnFiles { tool, files })
}

impl<T: FileTool> BlockingTool for OnFiles<T> {
    type Plan = T::Plan;

    const RECORDS: bool = T::RECORDS;

    fn spec(&self) -> ToolSpec {
        self.tool.spec()
    }

    fn plan(&self, call: ToolCall) -> Result<Planned<T::Plan>, ToolOutcome> {
        Ok(self.tool.plan(&self.files, call.input)?)
    }

    fn begin(&self, plan: &mut T::Plan, _: &Permit) -> Result<Vec<FileBefore>, ToolOutcome> {
        match T::write(plan) {
            Some(write) => Ok(self.files.begin_write(write)?),
            None => Ok(Vec::new()),
        }
    }

    /// The umask of what it makes, which may be that of the user's login shell.
    fn prerequisite(&self) -> Option<Prerequisite> {
        self.files.host.umask.prerequisite()
    }

    fn run(&self, plan: T::Plan, permit: &Permit, context: &ToolContext) -> ToolOutcome {
        let pace = Pace::new(context.cancel.clone(), self.files.time_limit);
        let call = RunningCall::new(Arc::clone(&self.files), permit.clone(), pace);
        let result = self.tool.run(&call, plan);
        result.map_or_else(ToolOutcome::from, ToolOutcome::from)
    }
}
