use std::future::ready;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use scorel_engine::{
    ArgumentError, Tool, ToolCall, ToolClass, ToolOutcome, ToolPlan, ToolSpec, parse_arguments,
};
use serde::Deserialize;
use serde_json::{Map, Value};

const DESCRIPTION: &str = "\
Calls a tool that is not described here, such as one that ToolSearch has found. Its arguments have to fit its schema.";

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CallArguments {
    /// The tool's whole name.
    name: String,
    /// The tool's arguments.
    #[serde(default)]
    input: Map<String, Value>,
}

/// `ToolCall`: calls a tool that requests do not describe. Only calls that name none are planned as calls of its own.
#[derive(Debug)]
pub struct CallTool {
    spec: ToolSpec,
}

impl Default for CallTool {
    fn default() -> Self {
        let spec = ToolSpec::of::<CallArguments>("ToolCall", DESCRIPTION, ToolClass::Outside);
        Self { spec }
    }
}

impl Tool for CallTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        let planned = match parse_arguments::<CallArguments>(call.input) {
            Ok(CallArguments { name, .. }) if name == self.spec.name => {
                ToolPlan::answered(ArgumentError::of("name", "names this tool itself"))
            }
            Ok(CallArguments { name, .. }) => {
                let name = scorel_proto::excerpt(&name, 128);
                let message = format!("no tool is named `{name}`; find its name with ToolSearch");
                ToolPlan::answered(ToolOutcome::failure("E_UNKNOWN_TOOL", &message, Map::new()))
            }
            Err(error) => ToolPlan::answered(error),
        };
        Box::pin(ready(planned))
    }

    fn stands_for(&self, call: &ToolCall) -> Option<ToolCall> {
        if call.invalid_input.is_some() {
            return None;
        }
        let CallArguments { name, input } = parse_arguments(call.input.clone()).ok()?;
        (name != self.spec.name).then(|| ToolCall {
            id: call.id.clone(),
            name,
            input: Value::Object(input),
            invalid_input: None,
        })
    }
}
