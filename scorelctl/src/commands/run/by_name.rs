//! `send '/ID'`: a run of a workflow is started, or goes on.

use scorel_client::ClientError;
use scorel_proto::{
    CheckWorkflow, CheckWorkflowParams, ErrorCode, ListRuns, ListRunsParams, ProjectId, ResumeRun,
    ResumeRunParams, RunPhase,
};

use super::start::{self, StartArgs};
use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::failure::Failure;

/// Starts a run of the workflow with this name, or has the last one that has not ended go on with what was said. Returns
/// whether there is a workflow of the name.
pub(in crate::commands) async fn run(
    name: &str,
    said: &str,
    project_id: ProjectId,
    cli: &mut Cli<'_>,
) -> Result<bool, Failure> {
    let params = CheckWorkflowParams {
        path: None,
        workflow: Some(name.to_owned()),
        project_id: Some(project_id),
    };
    match cli.call::<CheckWorkflow>(&params).await {
        Err(ClientError::Rpc(error)) if error.code == ErrorCode::WorkflowNotFound => {
            return Ok(false);
        }
        checked => checked?,
    };
    let input = Some(said.to_owned()).filter(|text| !text.trim().is_empty());
    let params = ListRunsParams {
        project_id: Some(project_id),
        limit: None,
    };
    let runs = cli.call::<ListRuns>(&params).await?.runs;
    let goes_on = |it: &&scorel_proto::RunInfo| {
        it.workflow == name && !matches!(it.phase, RunPhase::Completed | RunPhase::Running)
    };
    let Some(run) = runs.iter().find(goes_on) else {
        let args = StartArgs {
            workflow: name.to_owned(),
            project: None,
            yes: false,
            agent: None,
            autopilot: None,
            set: Vec::new(),
            input,
            model: None,
            worktree: false,
        };
        start::run_in(args, project_id, cli).await?;
        return Ok(true);
    };
    let params = ResumeRunParams {
        run_id: run.run_id,
        new_session: None,
        variables: None,
        input,
        command_id: Some(new_command_id()),
    };
    let answer = cli.call::<ResumeRun>(&params).await?;
    cli.result(&answer, |output| {
        output.line(&format!("{}  {}", answer.run_id, answer.session_id))
    })?;
    start::say_watch(answer.run_id, cli)?;
    Ok(true)
}
