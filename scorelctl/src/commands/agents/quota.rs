use scorel_client::ClientError;
use scorel_proto::{AgentInfo, QuotaPolicy, SetQuota, SetQuotaParams};
use serde::{Deserialize as _, Serialize};

use super::table;
use crate::args::{AgentsArgs, QuotaArgs};
use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::escape::one_line;
use crate::failure::Failure;
use crate::unknown_agent::unknown_agent;
use crate::wire_name::wire_name;

/// An agent as `--json` prints it, whether its quota was set or only looked at.
#[derive(Serialize)]
struct AgentLine<'a> {
    agent: &'a AgentInfo,
}

/// Tells the quota, or sets the project's policy and tells that.
pub(super) async fn run(
    args: &AgentsArgs,
    wanted: &QuotaArgs,
    cli: &mut Cli<'_>,
) -> Result<(), Failure> {
    match wanted.policy() {
        Some(policy) => set(args, (wanted, policy), cli).await,
        None => tell(args, wanted, cli).await,
    }
}

async fn tell(args: &AgentsArgs, wanted: &QuotaArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let agent = &find(args, wanted, cli).await?;
    cli.result(&AgentLine { agent }, |output| {
        output.line(&effect(agent))?;
        match &agent.policy {
            Some(policy) => output.line(&format!("policy: {}", description(policy))),
            None => Ok(()),
        }
    })
}

async fn set(
    args: &AgentsArgs,
    (wanted, policy): (&QuotaArgs, QuotaPolicy),
    cli: &mut Cli<'_>,
) -> Result<(), Failure> {
    let project = cli.registered(args.project.as_deref()).await?;
    let before = find(args, wanted, cli).await?.policy.unwrap_or_default();
    let params = SetQuotaParams {
        project_id: project.project_id,
        agent_type: wanted.agent_type.clone(),
        policy,
        expected: Some(before.clone()),
        command_id: Some(new_command_id()),
    };
    let answer = cli.call::<SetQuota>(&params).await.map_err(refused)?;
    let agent = &answer.agent;
    cli.result(&AgentLine { agent }, |output| {
        let name = one_line(&agent.agent_type);
        let place = one_line(&project.work_dir);
        let policy = description(&params.policy);
        output.line(&format!("policy of {name} in {place}: {policy}"))?;
        output.line(&effect(agent))
    })?;
    if !before.is_empty() && before != params.policy {
        cli.note(&format!("before: {}", description(&before)))?;
    }
    Ok(())
}

async fn find(
    args: &AgentsArgs,
    wanted: &QuotaArgs,
    cli: &mut Cli<'_>,
) -> Result<AgentInfo, Failure> {
    let known = super::listed::listed(args, cli).await?.agents;
    let found = known.iter().find(|it| it.agent_type == wanted.agent_type);
    let found = found.cloned();
    found.ok_or_else(|| unknown_agent(&wanted.agent_type, &known))
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
