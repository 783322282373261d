//! Tools on the session's files.

use std::sync::Arc;

use scorel_engine::{
    Effect, Permit, SessionTool, Tool, ToolContext, ToolOutcome, ToolPlan, ToolSpec,
};
use serde_json::Value;

use crate::error::{ErrorCode, ToolError};
use crate::pace::Pace;
use crate::running_call::RunningCall;
use crate::session_files::{PlannedWrite, SessionFiles};

/// A call of a tool that needs nothing but the session's files: parsed and resolved.
pub struct FilePlan {
    effects: Vec<Effect>,
    work: FileWork,
    /// Makes the call's result of an error.
    failed: fn(ToolError) -> ToolOutcome,
}

enum FileWork {
    /// It changes no file.
    Look(Look),
    /// It changes one, which is looked at right before.
    Change(Box<Result<PlannedWrite, ToolError>>, Change),
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
    /// A call that changes no file.
    pub fn look(
        effects: Vec<Effect>,
        run: impl FnOnce(&RunningCall) -> Result<ToolOutcome, ToolError> + Send + 'static,
    ) -> Self {
        Self::new(effects, FileWork::Look(Box::new(run)))
    }

    pub(crate) fn change(
        (effect, write): (Effect, Result<PlannedWrite, ToolError>),
        run: impl FnOnce(&RunningCall, PlannedWrite) -> Result<ToolOutcome, ToolError> + Send + 'static,
    ) -> Self {
        // A write that no permission would allow is not judged, so that its result has the error's details.
        let is_refused = |error: &ToolError| error.code == ErrorCode::AccessDenied;
        let effects = match write.as_ref().is_err_and(is_refused) {
            true => Vec::new(),
            false => vec![effect],
        };
        let (write, run) = (Box::new(write), Box::new(run));
        Self::new(effects, FileWork::Change(write, run))
    }

    /// A call that changes the file of a planned write.
    pub fn write(
        (effects, write): (Vec<Effect>, PlannedWrite),
        run: impl FnOnce(&RunningCall, PlannedWrite) -> Result<ToolOutcome, ToolError> + Send + 'static,
    ) -> Self {
        let work = FileWork::Change(Box::new(Ok(write)), Box::new(run));
        Self::new(effects, work)
    }

    /// The same call, with results of its own for errors.
    #[must_use]
    pub fn failing_as(self, failed: fn(ToolError) -> ToolOutcome) -> Self {
        Self { failed, ..self }
    }

    fn new(effects: Vec<Effect>, work: FileWork) -> Self {
        Self {
            effects,
            work,
            failed: ToolOutcome::from,
        }
    }

    /// The call on the files of a session.
    pub fn on(self, files: Arc<SessionFiles>) -> ToolPlan {
        let Self {
            effects,
            work,
            failed,
        } = self;
        match work {
            FileWork::Look(run) => ToolPlan::with_blocking_run(effects, move |permit, context| {
                run(&running(files, permit, context)).unwrap_or_else(failed)
            }),
            FileWork::Change(write, run) => {
                // The umask of what it makes may be that of the user's login shell.
                let umask = files.host.umask.clone();
                ToolPlan::with_blocking_begin(effects, move |permit| {
                    let mut write = (*write).map_err(failed)?;
                    let before = files.begin_write(&mut write).map_err(failed)?;
                    let run = move |context: &ToolContext| {
                        run(&running(files, permit, context), write).unwrap_or_else(failed)
                    };
                    Ok::<_, ToolOutcome>((before, run))
                })
                .needing(move || umask.prerequisite())
            }
        }
    }

    /// Runs the call, without a record of the file that it changes.
    #[cfg(test)]
    pub(crate) fn run(self, call: &RunningCall) -> Result<ToolOutcome, ToolError> {
        match self.work {
            FileWork::Look(run) => run(call),
            FileWork::Change(write, run) => run(call, (*write)?),
        }
    }
}

impl std::fmt::Debug for FilePlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FilePlan")
            .field("effects", &self.effects)
            .finish_non_exhaustive()
    }
}

fn running(files: Arc<SessionFiles>, permit: Permit, context: &ToolContext) -> RunningCall {
    let pace = Pace::new(context.cancel.clone(), files.time_limit);
    RunningCall::new(files, permit, pace)
}
