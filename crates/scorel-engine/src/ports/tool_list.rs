use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt, ready};
use serde_json::Map;

use super::lenient::lenient;
use super::quote::quote;
use super::{ArgumentError, Tool, ToolCall, ToolClass, ToolOutcome, ToolPlan, ToolSpec};

/// The tools that a turn offers to its model, in a stable order. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct ToolList {
    tools: Arc<[Arc<dyn Tool>]>,
}

/// Two tools have one name, so that a call would not say which is meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("two tools are named `{0}`")]
pub struct DuplicateTool(pub String);

impl ToolList {
    /// A list of tools.
    ///
    /// # Errors
    /// Two of them have the same name.
    pub fn new(tools: Vec<Arc<dyn Tool>>) -> Result<Self, DuplicateTool> {
        let names = tools.iter().map(|tool| &tool.spec().name);
        for (index, name) in names.enumerate() {
            if tools[..index].iter().any(|tool| tool.spec().name == *name) {
                return Err(DuplicateTool(name.clone()));
            }
        }
        Ok(Self {
            tools: tools.into(),
        })
    }

    /// The tools for which `keep` holds. The others do not exist for the model.
    pub fn only(&self, keep: impl Fn(&ToolSpec) -> bool) -> Self {
        let kept = self.tools.iter().filter(|tool| keep(tool.spec()));
        Self {
            tools: kept.cloned().collect(),
        }
    }

    /// What the model is told about each tool.
    pub fn specs(&self) -> impl ExactSizeIterator<Item = &ToolSpec> {
        self.tools.iter().map(|tool| tool.spec())
    }

    /// The tool of that name; in other capitals, if there is one such tool.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        let exact = self.tools.iter().find(|tool| tool.spec().name == name);
        exact.or_else(|| {
            let is_like = |tool: &&Arc<dyn Tool>| tool.spec().name.eq_ignore_ascii_case(name);
            let mut like = self.tools.iter().filter(is_like);
            like.next().filter(|_| like.next().is_none())
        })
    }

    /// A call as its tool would take it: with the tool's own name, and with the names of the schema where the
    /// arguments are in the spellings of other tools. Else a guard would look for a command where there is none.
    pub fn canonical(&self, call: &ToolCall) -> ToolCall {
        let mut call = call.clone();
        if let Some(tool) = self.get(&call.name) {
            let spec = tool.spec();
            call.name.clone_from(&spec.name);
            if spec.class != ToolClass::Outside {
                call.input = lenient(call.input, &spec.parameters);
            }
        }
        call
    }

    /// Plans a call. An unknown tool and arguments that are not a JSON object are answered here, without
    /// effects.
    pub fn plan(&self, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        let Some(tool) = self.get(&call.name) else {
            return ready(ToolPlan::answered(self.unknown(&call.name))).boxed();
        };
        if let Some(written) = &call.invalid_input {
            let message = format!("the arguments are not a JSON object: {}", quote(written));
            return ready(ToolPlan::answered(ArgumentError::new(message))).boxed();
        }
        Arc::clone(tool).plan(call)
    }

    fn unknown(&self, name: &str) -> ToolOutcome {
        let names: Vec<&str> = self.specs().map(|spec| spec.name.as_str()).collect();
        let known = match names.as_slice() {
            [] => "this session has no tools".to_owned(),
            names => format!("the tools are {}", names.join(", ")),
        };
        let message = format!("no tool is named `{}`; {known}", quote(name));
        ToolOutcome::failure("E_UNKNOWN_TOOL", &message, Map::new())
    }
}
