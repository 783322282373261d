use std::fmt;
use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};
use scorel_engine::{
    ArgumentError, Effect, Tool, ToolCall, ToolClass, ToolContext, ToolOutcome, ToolPlan, ToolSpec,
    ToolUpdates,
};
use scorel_process::ServiceError;
use serde_json::{Map, Value, json};

use crate::told_tool::ToldTool;

/// A tool of a program that the daemon does not control: its arguments are held to its schema, and the gate judges its
/// name and them.
#[derive(Debug)]
pub struct OutsideTool {
    spec: ToolSpec,
    told: ToldTool,
    reading: OutsideReading,
    run: Arc<dyn OutsideRun>,
}

/// The daemon's knowledge of a tool that may only read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutsideReading {
    /// It may change something.
    Unknown,
    /// It says that it changes nothing: it runs beside others.
    Said,
    /// The user believes that too: it is allowed unless a rule says otherwise.
    Believed,
}

/// The run of a call of an [`OutsideTool`].
pub trait OutsideRun: fmt::Debug + Send + Sync + 'static {
    /// The outcome of calls that are in vain, as far as is known before a person is asked about one.
    fn refusal(&self) -> Option<ToolOutcome> {
        None
    }

    /// Returns whether the user believes that this call only reads, of a tool of which other calls may do more.
    fn is_believed(&self, _call: &ToolCall) -> bool {
        false
    }

    /// Has the program do what the call says. Dropped by a cancel, after which the program is told so.
    fn run(
        self: Arc<Self>,
        call: ToolCall,
        updates: ToolUpdates,
    ) -> BoxFuture<'static, ToolOutcome>;
}

impl OutsideTool {
    pub fn new(told: ToldTool, reading: OutsideReading, run: Arc<dyn OutsideRun>) -> Self {
        let listed = told.listed();
        Self {
            spec: ToolSpec {
                name: told.name().to_owned(),
                description: listed.description.clone(),
                parameters: Arc::clone(listed.schema.json()),
                read_only: reading != OutsideReading::Unknown,
                class: ToolClass::Outside,
            },
            told,
            reading,
            run,
        }
    }
}

impl Tool for OutsideTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        if let Some(refusal) = self.run.refusal() {
            return Box::pin(ready(ToolPlan::answered(refusal)));
        }
        if let Err((field, reason)) = self.told.listed().schema.check(&call.input) {
            let message = match &field {
                Some(field) => format!("`{field}`: {reason}"),
                None => reason,
            };
            let error = ArgumentError { field, message };
            return Box::pin(ready(ToolPlan::answered(error)));
        }
        let effect = Effect::CallOutside {
            tool: self.spec.name.clone(),
            also: self.told.also().to_vec(),
            input: call.input.clone(),
            digest: Some(self.told.digest().to_owned()),
            reads_only: self.reading == OutsideReading::Believed || self.run.is_believed(&call),
        };
        let run = move |_, context: ToolContext| async move {
            tokio::select! {
                biased;
                () = context.cancel.cancelled() => {
                    ToolOutcome::failure("E_CANCELLED", "the call was cancelled", Map::new())
                }
                outcome = Arc::clone(&self.run).run(call, context.updates) => outcome,
            }
        };
        Box::pin(ready(ToolPlan::new(vec![effect], run)))
    }
}

/// The outcome of a call that has no result.
pub fn failed_call(error: &ServiceError) -> ToolOutcome {
    let (code, facts) = match error {
        ServiceError::Unavailable { state, .. } => {
            ("E_UNAVAILABLE", Map::from_iter([fact("state", *state)]))
        }
        ServiceError::Lost { .. } => ("E_UNAVAILABLE", Map::new()),
        ServiceError::Overdue { .. } => ("E_TIMEOUT", Map::new()),
        ServiceError::Answered(_) => ("E_TOOL_FAILED", Map::new()),
    };
    ToolOutcome::failure(code, &error.to_string(), facts)
}

/// The outcome of a call of a program that is not there.
pub fn unavailable(reason: &str) -> ToolOutcome {
    ToolOutcome::failure("E_UNAVAILABLE", reason, Map::new())
}

/// The outcome of a call whose answer cannot be used.
pub fn bad_reply(reason: &str) -> ToolOutcome {
    ToolOutcome::failure("E_BAD_RESULT", reason, Map::new())
}

fn fact(name: &str, value: impl serde::Serialize) -> (String, Value) {
    (name.to_owned(), json!(value))
}
