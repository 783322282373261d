use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use scorel_proto::{
    AgentWorkspace, CheckWorkflow, CheckWorkflowParams, ProjectId, RunId, StartRun, StartRunParams,
};
use serde_json::{Map, Value};

use crate::cli::Cli;
use crate::commands::confirm::confirm;
use crate::daemon::new_command_id;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::id_part::end_of;
use scorel_screen::escape::one_line;

#[derive(Debug, Args)]
pub(crate) struct StartArgs {
    /// The workflow: the id of a package, or ID/WORKFLOW
    #[arg(value_name = "WORKFLOW")]
    pub(crate) workflow: String,
    /// Project directory [default: the working directory]
    #[arg(long, short, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Start it without a question
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// The agent of nodes that name none [default: the first of the package]
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Go on by itself, or not [default: as the package says]
    #[arg(long, value_name = "BOOL")]
    pub(crate) autopilot: Option<bool>,
    /// Set a variable of its document; the value is JSON, or else a text
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) set: Vec<RunVariable>,
    /// A first message to it
    #[arg(long, value_name = "TEXT")]
    pub(crate) input: Option<String>,
    /// The model of its session
    #[arg(long, short, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// Work in a git worktree of its own, on a branch of its own
    #[arg(long)]
    pub(crate) worktree: bool,
}

/// A variable of a run, as `NAME=VALUE`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunVariable {
    name: String,
    value: Value,
}

impl FromStr for RunVariable {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("it has no `=`")?;
        if name.is_empty() {
            return Err("there is no name before `=`".to_owned());
        }
        let json = serde_json::from_str(value);
        Ok(Self {
            name: name.to_owned(),
            value: json.unwrap_or_else(|_| Value::String(value.to_owned())),
        })
    }
}

/// The variables together; of one that is set twice the last value counts.
pub(super) fn variables(set: Vec<RunVariable>) -> Option<Map<String, Value>> {
    let set = set.into_iter().map(|it| (it.name, it.value));
    let variables: Map<String, Value> = set.collect();
    (!variables.is_empty()).then_some(variables)
}

pub(super) async fn run(args: StartArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let project_id = cli.registered(args.project.as_deref()).await?.project_id;
    run_in(args, project_id, cli).await
}

/// Shows the plan in a project, and starts the run once that is confirmed.
pub(super) async fn run_in(
    args: StartArgs,
    project_id: ProjectId,
    cli: &mut Cli<'_>,
) -> Result<(), Failure> {
    let params = CheckWorkflowParams {
        path: None,
        workflow: Some(args.workflow.clone()),
        project_id: Some(project_id),
    };
    let checked = cli.call::<CheckWorkflow>(&params).await?;
    let Some(digest) = checked.digest else {
        for problem in &checked.problems {
            let parts = [&problem.file, &problem.pointer, &problem.message];
            let parts = parts.map(String::as_str).into_iter();
            let parts: Vec<&str> = parts.filter(|it| !it.is_empty()).collect();
            cli.note(&one_line(&parts.join(": ")))?;
        }
        let text = format!("{} cannot run as it is", one_line(&args.workflow));
        return Err(Failure::new(Exit::NotAccepted, "workflow_invalid", text));
    };
    if !args.yes {
        for line in &checked.plan_text {
            cli.note(&one_line(line))?;
        }
        if !confirm("start this?", cli.output).await? {
            return Ok(());
        }
    }
    let params = StartRunParams {
        project_id,
        workflow: args.workflow,
        confirm: digest,
        agent_id: args.agent,
        autopilot: args.autopilot,
        variables: variables(args.set),
        input: args.input,
        model: args.model,
        workspace: args.worktree.then_some(AgentWorkspace::Worktree),
        command_id: Some(new_command_id()),
    };
    let answer = cli.call::<StartRun>(&params).await?;
    cli.result(&answer, |output| {
        output.line(&format!("{}  {}", answer.run_id, answer.session_id))
    })?;
    say_watch(answer.run_id, cli)
}

/// Says how to follow a run.
pub(super) fn say_watch(id: RunId, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let id = end_of(&id);
    cli.note(&format!("`scorelctl run watch {id}` follows it"))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_variable_is_json_or_else_a_text() {
        let read = |text: &str| text.parse::<RunVariable>().map(|it| (it.name, it.value));
        assert_eq!(read("n=3"), Ok(("n".to_owned(), json!(3))));
        assert_eq!(read("key=1-2"), Ok(("key".to_owned(), json!("1-2"))));
        assert_eq!(read("text=a=b"), Ok(("text".to_owned(), json!("a=b"))));
        assert!(read("n").is_err() && read("=1").is_err());
        let set = ["a=1", "a=2"].map(|text| text.parse().unwrap());
        assert_eq!(variables(set.into()).unwrap()["a"], 2);
        assert_eq!(variables(Vec::new()), None);
    }
}
