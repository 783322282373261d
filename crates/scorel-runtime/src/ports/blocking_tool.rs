use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::Map;
use tokio::task::{JoinError, spawn_blocking};

use super::quote::quote;
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
    pub fn new(tool: T) -> Arc<dyn Tool> {
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
            match spawn_blocking(move || planner.plan(call)).await {
                Ok(Ok(planned)) => ToolPlan::new(planned.effects, move |permit, context| {
                    run(tool, planned.plan, permit, context)
                }),
                Ok(Err(outcome)) => ToolPlan::answered(outcome),
                Err(error) => ToolPlan::answered(panicked(error)),
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
    spawn_blocking(move || tool.run(plan, &permit, &context))
        .await
        .unwrap_or_else(panicked)
}

/// A defect of a tool is the model's to hear about, not the end of the turn. The other cause of a
/// `JoinError` is a runtime that shuts down before the tool began.
fn panicked(error: JoinError) -> ToolOutcome {
    let cause = match error.try_into_panic() {
        Ok(payload) => payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_default(),
        Err(error) => error.to_string(),
    };
    let message = format!("the tool failed: {}", quote(&cause));
    ToolOutcome::failure("E_INTERNAL", &message, Map::new())
}
