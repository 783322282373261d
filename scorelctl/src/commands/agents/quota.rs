use std::path::Path;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use scorel_client::ClientError;
use scorel_proto::{AgentInfo, QuotaPolicy, QuotaStrategy, SetQuota, SetQuotaParams};
use serde::Deserialize as _;
use serde_json::json;

use super::table;
use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::failure::Failure;
use crate::known_agent::known_agent;
use crate::wire_name::wire_name;
use scorel_screen::escape::one_line;

/// A quota. The arguments are the whole policy: the daemon keeps nothing of the previous one.
#[derive(Debug, Args)]
pub(crate) struct QuotaArgs {
    /// The agent
    #[arg(value_name = "TYPE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) agent_type: String,
    /// The greatest number that may run at once in the project; 0 lets none begin [default: the agent's own quota]
    #[arg(value_name = "N")]
    pub(crate) number: Option<u32>,
    /// The greatest number that may run at once for a workflow; may be given several times
    #[arg(long, value_name = "ID=N", value_parser = workflow_quota)]
    pub(crate) workflow: Vec<(String, u32)>,
    /// One at a time, ignoring the numbers
    #[arg(long, conflicts_with = "concurrent")]
    pub(crate) serial: bool,
    /// As many at once as the numbers allow [default]
    #[arg(long)]
    pub(crate) concurrent: bool,
    /// Remove the project's policy, so that the agent's own quota counts again
    #[arg(long, conflicts_with_all = ["number", "workflow", "serial", "concurrent"])]
    pub(crate) clear: bool,
}

impl QuotaArgs {
    /// The policy to set; `None` if nothing is to be changed.
    pub(crate) fn policy(&self) -> Option<QuotaPolicy> {
        let says_nothing = self.number.is_none()
            && self.workflow.is_empty()
            && !self.serial
            && !self.concurrent
            && !self.clear;
        (!says_nothing).then(|| QuotaPolicy {
            project: self.number,
            workflow: self.workflow.iter().cloned().collect(),
            strategy: if self.serial {
                QuotaStrategy::Serial
            } else {
                QuotaStrategy::Concurrent
            },
        })
    }
}

fn workflow_quota(text: &str) -> Result<(String, u32), String> {
    let parts = text.rsplit_once('=').filter(|(id, _)| !id.is_empty());
    let (id, number) = parts.ok_or("the form is ID=N, such as fix-issues=2")?;
    let number = number
        .parse()
        .map_err(|_| format!("`{number}` is not a number"))?;
    Ok((id.to_owned(), number))
}

/// Tells the quota, or sets the project's policy and tells that.
pub(super) async fn run(
    args: &QuotaArgs,
    project: Option<&Path>,
    cli: &mut Cli<'_>,
) -> Result<(), Failure> {
    let Some(policy) = args.policy() else {
        let project_id = cli.project_id(project).await?;
        let agent = known_agent(&args.agent_type, project_id, &mut cli.daemon).await?;
        return cli.result(&json!({ "agent": agent }), |output| {
            output.line(&effect(&agent))?;
            match &agent.policy {
                Some(policy) => output.line(&format!("policy: {}", description(policy))),
                None => Ok(()),
            }
        });
    };
    let registered = cli.registered(project).await?;
    let project_id = registered.project_id;
    let known = known_agent(&args.agent_type, Some(project_id), &mut cli.daemon).await?;
    let before = known.policy.unwrap_or_default();
    let params = SetQuotaParams {
        project_id,
        agent_type: args.agent_type.clone(),
        policy,
        expected: Some(before.clone()),
        command_id: Some(new_command_id()),
    };
    let answer = cli.call::<SetQuota>(&params).await.map_err(refused)?;
    let agent = &answer.agent;
    cli.result(&json!({ "agent": agent }), |output| {
        let name = one_line(&agent.agent_type);
        let place = one_line(&registered.work_dir);
        let policy = description(&params.policy);
        output.line(&format!("policy of {name} in {place}: {policy}"))?;
        output.line(&effect(agent))
    })?;
    if !before.is_empty() && before != params.policy {
        cli.note(&format!("before: {}", description(&before)))?;
    }
    Ok(())
}

/// The failure, with the policy in force if another client was faster.
fn refused(error: ClientError) -> Failure {
    let policy = match &error {
        ClientError::Rpc(rpc) => QuotaPolicy::deserialize(&rpc.details["policy"]).ok(),
        _ => None,
    };
    let hint = policy.map(|policy| {
        let policy = description(&policy);
        format!("now in force: {policy}; the same command replaces it")
    });
    Failure::from(error).maybe_hint(hint)
}

/// A policy in words.
fn description(policy: &QuotaPolicy) -> String {
    if policy.is_empty() {
        return "none, the agent's own quota counts".to_owned();
    }
    let mut parts = vec![match policy.project {
        Some(number) => format!("project {number}"),
        None => "project as the agent's own quota".to_owned(),
    }];
    let workflows = policy.workflow.iter();
    parts.extend(workflows.map(|(id, number)| format!("workflow {} {number}", one_line(id))));
    parts.push(wire_name(policy.strategy));
    parts.join(", ")
}

/// The number that may run at once, and the number that runs.
fn effect(agent: &AgentInfo) -> String {
    format!(
        "{}: quota {}, {} running, {} queued",
        one_line(&agent.agent_type),
        table::quota(agent.quota),
        agent.running,
        agent.queued
    )
}

#[cfg(test)]
mod tests {
    use scorel_proto::QuotaStrategy;

    use super::*;

    #[test]
    fn a_policy_is_told_in_full() {
        assert_eq!(
            description(&QuotaPolicy::default()),
            "none, the agent's own quota counts"
        );
        let policy = QuotaPolicy {
            project: Some(3),
            workflow: [("fix".to_owned(), 1), ("release".to_owned(), 0)].into(),
            strategy: QuotaStrategy::Concurrent,
        };
        assert_eq!(
            description(&policy),
            "project 3, workflow fix 1, workflow release 0, concurrent"
        );
        let policy = QuotaPolicy {
            strategy: QuotaStrategy::Serial,
            ..QuotaPolicy::default()
        };
        assert_eq!(
            description(&policy),
            "project as the agent's own quota, serial"
        );
    }
}
