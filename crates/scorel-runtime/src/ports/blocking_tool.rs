use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::blocking::blocking;
use super::{Effect, Permit, Tool, ToolCall, ToolContext, ToolOutcome, ToolPlan, ToolSpec};

/// A tool whose plan and run block the calling thread, as file access does.
pub trait BlockingTool: fmt::Debug + Send + Sync + 'static {
    /// The parsed and resolved call.
    type Plan: Send + 'static;

    /// The same for the life of the tool.
    fn spec(&self) -> ToolSpec;

    /// As [`Tool::plan`].
    ///
    /// # Errors
    /// The call cannot run; this is its result.
    fn plan(&self, call: ToolCall) -> Result<Planned<Self::Plan>, ToolOutcome>;

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
                Ok(planned) => ToolPlan::new(planned.effects, move |permit, context| {
                    run(tool, planned.plan, permit, context)
                }),
                Err(outcome) => ToolPlan::answered(outcome),
            }
        })
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
