//! `RunScript`: shows the first line of a script of the project, and runs it.

use std::io::{BufRead as _, BufReader};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _};
use schemars::JsonSchema;
use scorel_engine::{
    ArgumentError, Effect, Permit, Tool, ToolCall, ToolClass, ToolContext, ToolOutcome, ToolPlan,
    ToolSpec, blocking, parse_arguments,
};
use scorel_proto::Block;
use scorel_tools::{Commands, PlannedCommand, SessionFiles, ToolError};
use serde::Deserialize;

const DESCRIPTION: &str = "\
Runs a shell script of the project. Answers the script's first line and its output.";

const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The model gets the schema of this type, with the comments on its fields.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ScriptArguments {
    /// The script, relative to the project.
    path: String,
}

#[derive(Debug)]
pub(crate) struct ScriptTool {
    spec: ToolSpec,
    files: Arc<SessionFiles>,
    commands: Arc<Commands>,
}

/// A call that was parsed, with all that the gate judges of it.
struct PlannedScript {
    path: String,
    read: Effect,
    command: PlannedCommand,
}

impl ScriptTool {
    pub(crate) fn new(files: &Arc<SessionFiles>, commands: &Arc<Commands>) -> Self {
        Self {
            spec: ToolSpec::of::<ScriptArguments>("RunScript", DESCRIPTION, ToolClass::Command),
            files: Arc::clone(files),
            commands: Arc::clone(commands),
        }
    }

    fn parse(&self, call: ToolCall) -> Result<PlannedScript, ToolOutcome> {
        let ScriptArguments { path } = parse_arguments(call.input)?;
        if !path
            .chars()
            .all(|it| it.is_ascii_alphanumeric() || "._/-".contains(it))
        {
            let message = "may have letters, digits and `._/-` only";
            return Err(ArgumentError::of("path", message).into());
        }
        let text = format!("sh ./{path}");
        let command = PlannedCommand::new(&self.files, &text, None, Some(TIME_LIMIT))?;
        let read = self.files.reading(&path);
        Ok(PlannedScript {
            path,
            read,
            command,
        })
    }

    async fn run(
        self: Arc<Self>,
        path: String,
        command: PlannedCommand,
        permit: Permit,
        context: ToolContext,
    ) -> ToolOutcome {
        let (tool, granted) = (Arc::clone(&self), permit.clone());
        let first = match blocking(move || tool.first_line(&path, &granted)).await {
            Ok(first) => first,
            Err(outcome) => return outcome,
        };
        let ran = self.commands.run(&self.files, command, &permit, &context);
        let mut outcome = ran.await;
        outcome.content.insert(0, Block::text(first));
        outcome
    }

    fn first_line(&self, path: &str, permit: &Permit) -> Result<String, ToolError> {
        let mut line = String::new();
        let read = BufReader::new(self.files.open(path, permit)?).read_line(&mut line);
        read.map_err(|error| ToolError::internal(format!("{path} cannot be read: {error}")))?;
        Ok(line)
    }
}

impl Tool for ScriptTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn plan(self: Arc<Self>, call: ToolCall) -> BoxFuture<'static, ToolPlan> {
        let tool = Arc::clone(&self);
        blocking(move || tool.parse(call))
            .map(|planned| match planned {
                Ok(PlannedScript {
                    path,
                    read,
                    command,
                }) => {
                    let effects = vec![read, command.effect()];
                    ToolPlan::new(effects, move |permit, context| {
                        self.run(path, command, permit, context)
                    })
                }
                Err(outcome) => ToolPlan::answered(outcome),
            })
            .boxed()
    }
}
