//! Tools on the session's files.

use std::sync::Arc;

use scorel_engine::{
    Effect, Permit, SessionTool, Tool, ToolContext, ToolOutcome, ToolPlan, ToolSpec,
};
use serde_json::Value;

use crate::error::ToolError;
use crate::pace::Pace;
use crate::running_call::RunningCall;
use crate::session_files::{PlannedWrite, SessionFiles};

/// A call of a tool that needs nothing but the session's files: parsed and resolved.
pub(crate) enum FilePlan {
    /// It changes no file.
    Look { effects: Vec<Effect>, run: Look },
    /// It changes one, which is looked at right before.
    Change {
        effect: Effect,
        write: Box<Result<PlannedWrite, ToolError>>,
        run: Change,
    },
}

type Look = Box<dyn FnOnce(&RunningCall) -> Result<ToolOutcome, ToolError> + Send>;

type Change = Box<dyn FnOnce(&RunningCall, PlannedWrite) -> Result<ToolOutcome, ToolError> + Send>;

/// Plans a call, or tells why it cannot run.
pub(crate) type PlanFiles = fn(&SessionFiles, Value) -> Result<FilePlan, ToolError>;

/// A file tool as an entry of the session's list.
pub(crate) fn on_files(
    spec: ToolSpec,
    plan: PlanFiles,
    files: &Arc<SessionFiles>,
) -> Arc<dyn Tool> {
    Arc::new(SessionTool {
        spec,
        session: (Arc::clone(files), plan),
        plan: |(files, plan), input| plan(files, input).map(|it| it.on(Arc::clone(files))),
    })
}

impl FilePlan {
    pub(crate) fn look(
        effects: Vec<Effect>,
        run: impl FnOnce(&RunningCall) -> Result<ToolOutcome, ToolError> + Send + 'static,
    ) -> Self {
        let run = Box::new(run);
        Self::Look { effects, run }
    }

    pub(crate) fn change(
        (effect, write): (Effect, Result<PlannedWrite, ToolError>),
        run: impl FnOnce(&RunningCall, PlannedWrite) -> Result<ToolOutcome, ToolError> + Send + 'static,
    ) -> Self {
        let (write, run) = (Box::new(write), Box::new(run));
        Self::Change { effect, write, run }
    }

    fn on(self, files: Arc<SessionFiles>) -> ToolPlan {
        match self {
            Self::Look { effects, run } => {
                ToolPlan::with_blocking_run(effects, move |permit, context| {
                    let ran = run(&running(files, permit, context));
                    ran.unwrap_or_else(ToolOutcome::from)
                })
            }
            Self::Change { effect, write, run } => {
                // The umask of what it makes may be that of the user's login shell.
                let umask = files.host.umask.clone();
                ToolPlan::with_blocking_begin(vec![effect], move |permit| {
                    let mut write = (*write)?;
                    let before = files.begin_write(&mut write)?;
                    let run = move |context: &ToolContext| {
                        let ran = run(&running(files, permit, context), write);
                        ran.unwrap_or_else(ToolOutcome::from)
                    };
                    Ok::<_, ToolError>((before, run))
                })
                .needing(move || umask.prerequisite())
            }
        }
    }

    /// Runs the call, without a record of the file that it changes.
    #[cfg(test)]
    pub(crate) fn run(self, call: &RunningCall) -> Result<ToolOutcome, ToolError> {
        match self {
            Self::Look { run, .. } => run(call),
            Self::Change { write, run, .. } => run(call, (*write)?),
        }
    }
}

fn running(files: Arc<SessionFiles>, permit: Permit, context: &ToolContext) -> RunningCall {
    let pace = Pace::new(context.cancel.clone(), files.time_limit);
    RunningCall::new(files, permit, pace)
}
