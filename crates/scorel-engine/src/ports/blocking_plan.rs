//! Plans and runs that block the calling thread, as file access does: they go to threads that may.

use futures_util::future::BoxFuture;
use scorel_proto::FileBefore;

use super::blocking::blocking;
use super::{BegunCall, Effect, Permit, ToolContext, ToolOutcome, ToolPlan};

impl ToolPlan {
    /// Plans a call with work that blocks. Its error is the result of the call.
    pub fn blocking<E>(
        plan: impl FnOnce() -> Result<Self, E> + Send + 'static,
    ) -> BoxFuture<'static, Self>
    where
        E: Into<ToolOutcome> + Send + 'static,
    {
        Box::pin(async move { blocking(plan).await.unwrap_or_else(Self::answered) })
    }

    /// As [`new`](Self::new), with a run that blocks.
    pub fn with_blocking_run(
        effects: Vec<Effect>,
        run: impl FnOnce(Permit, &ToolContext) -> ToolOutcome + Send + 'static,
    ) -> Self {
        Self::new(effects, move |permit, context| {
            ran(move || run(permit, &context))
        })
    }

    /// As [`recorded`](Self::recorded), with work at its begin that blocks, and returns the files that
    /// the run will change and the run, which blocks as well. Its error is the result of the call.
    pub fn with_blocking_begin<R, E>(
        effects: Vec<Effect>,
        begin: impl FnOnce(Permit) -> Result<(Vec<FileBefore>, R), E> + Send + 'static,
    ) -> Self
    where
        R: FnOnce(&ToolContext) -> ToolOutcome + Send + 'static,
        E: Into<ToolOutcome> + Send + 'static,
    {
        Self::recorded(effects, move |permit| async move {
            match blocking(move || begin(permit)).await {
                Ok((files, run)) => BegunCall::new(files, |context| ran(move || run(&context))),
                Err(outcome) => BegunCall::answered(outcome),
            }
        })
    }
}

async fn ran(run: impl FnOnce() -> ToolOutcome + Send + 'static) -> ToolOutcome {
    let ran = blocking(move || -> Result<_, ToolOutcome> { Ok(run()) });
    ran.await.unwrap_or_else(|outcome| outcome)
}
