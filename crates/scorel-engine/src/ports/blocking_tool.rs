use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use scorel_proto::FileBefore;

use super::blocking::blocking;
use super::{
    BegunCall, Effect, Permit, Prerequisite, Tool, ToolCall, ToolContext, ToolOutcome, ToolPlan,
    ToolSpec,
};

/// A tool whose plan and run block the calling thread, as file access does.
pub trait BlockingTool: fmt::Debug + Send + Sync + 'static {
    /// The parsed and resolved call.
    type Plan: Send + 'static;

    /// Whether its calls record the files that they change. Those of the others need no
    /// [`BlockingTool::begin`].
    const RECORDS: bool = false;

    /// The same for the life of the tool.
    fn spec(&self) -> ToolSpec;

    /// As [`Tool::plan`].
    ///
    /// # Errors
    /// The call cannot run; this is its result.
    fn plan(&self, call: ToolCall) -> Result<Planned<Self::Plan>, ToolOutcome>;

    /// Looks at the files that the run will change, right before it.
    ///
    /// # Errors
    /// The call cannot run; this is its result.
    fn begin(&self, _: &mut Self::Plan, _: &Permit) -> Result<Vec<FileBefore>, ToolOutcome> {
        Ok(Vec::new())
    }

    /// The condition that a call which [records](Self::RECORDS) waits for before it begins.
    fn prerequisite(&self) -> Option<Prerequisite> {
        None
    }

    /// As [`ToolPlan::run`].
    fn run(&self, plan: Self::Plan, permit: &Permit, context: &ToolContext) -> ToolOutcome;
}

/// A parsed call with its effects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned<P> {
    /// What the run would do, and nothing else.
    pub effects: Vec<Effect>,
    /// What the run gets.
    pub plan: P,
}

/// A [`BlockingTool`] as a [`Tool`]: plans and runs on the runtime's blocking threads.
#[derive(Debug)]
pub struct Blocking<T> {
    spec: ToolSpec,
    tool: Arc<T>,
}

impl<T: BlockingTool> Blocking<T> {
    /// The tool as an entry of a [`ToolList`](crate::ToolList).
    #[must_use]
    pub fn shared(tool: T) -> Arc<dyn Tool> {
        Arc::new(Self {
            spec: tool.spec(),
            tool: Arc::new(tool),
        })
    }
}

impl<T: BlockingTool> Tool for Blocking<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        let tool = Arc::clone(&self.tool);
        Box::pin(async move {
            let planner = Arc::clone(&tool);
            match blocking(move || planner.plan(call)).await {
                Ok(planned) if T::RECORDS => {
                    let needing = Arc::clone(&tool);
                    ToolPlan::recorded(planned.effects, move |permit| {
                        begin(tool, planned.plan, permit)
                    })
                    .needing(move || needing.prerequisite())
                }
                Ok(planned) => ToolPlan::new(planned.effects, move |permit, context| {
                    run(tool, planned.plan, permit, context)
                }),
                Err(outcome) => ToolPlan::answered(outcome),
            }
        })
    }
}

async fn begin<T: BlockingTool>(tool: Arc<T>, mut plan: T::Plan, permit: Permit) -> BegunCall {
    let (beginner, granted) = (Arc::clone(&tool), permit.clone());
    let begun = blocking(move || {
        let files = beginner.begin(&mut plan, &granted)?;
        Ok::<_, ToolOutcome>((files, plan))
    });
    match begun.await {
        Ok((files, plan)) => BegunCall::new(files, move |context| run(tool, plan, permit, context)),
        Err(outcome) => BegunCall::answered(outcome),
    }
}

async fn run<T: BlockingTool>(
    tool: Arc<T>,
    plan: T::Plan,
    permit: Permit,
    context: ToolContext,
) -> ToolOutcome {
    let ran = blocking(move || -> Result<_, ToolOutcome> { Ok(tool.run(plan, &permit, &context)) });
    ran.await.unwrap_or_else(|outcome| outcome)
}
