use scorel_proto::{AgentInfo, QuotaPolicy, QuotaStrategy, SetQuota, SetQuotaParams};
use serde::Serialize;

use super::table;
use crate::args::{AgentsArgs, QuotaArgs};
use crate::daemon::{DaemonClient, new_command_id};
use crate::escape::one_line;
use crate::failure::Failure;
use crate::output::{Output, result};
use crate::target;
use crate::unknown_agent::unknown_agent;

/// An agent as `--json` prints it, whether its quota was set or only looked at.
#[derive(Serialize)]
struct AgentLine<'a> {
    agent: &'a AgentInfo,
}

/// Tells the quota, or sets the project's policy and tells that.
pub(super) async fn run(
    args: &AgentsArgs,
    wanted: &QuotaArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<(), Failure> {
    match wanted.policy() {
        Some(policy) => set(args, (wanted, policy), control, output).await,
        None => tell(args, wanted, control, output).await,
    }
}

async fn tell(
    args: &AgentsArgs,
    wanted: &QuotaArgs,
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<(), Failure> {
    let known = super::listed::listed(args, control).await?.agents;
    let mut agents = known.iter();
    let agent = agents.find(|agent| agent.agent_type == wanted.agent_type);
    let agent = agent.ok_or_else(|| unknown_agent(&wanted.agent_type, &known))?;
    result(output, &AgentLine { agent }, |output| {
        output.line(&effect(agent))
    })
}

async fn set(
    args: &AgentsArgs,
    (wanted, policy): (&QuotaArgs, QuotaPolicy),
    control: &mut DaemonClient,
    output: &mut Output,
) -> Result<(), Failure> {
    let directory = target::project_directory(args.project.as_deref())?;
    let params = SetQuotaParams {
        project_id: target::register(control, &directory).await?.project_id,
        agent_type: wanted.agent_type.clone(),
        policy,
        expected: None,
        command_id: Some(new_command_id()),
    };
    let answer = control.call::<SetQuota>(&params).await?;
    let agent = &answer.agent;
    result(output, &AgentLine { agent }, |output| {
        let name = one_line(&agent.agent_type);
        let place = one_line(&directory.display().to_string());
        let policy = description(&params.policy);
        output.line(&format!("policy of {name} in {place}: {policy}"))?;
        output.line(&effect(agent))
    })?;
    output.note("this replaces the whole policy that the project had for the agent")?;
    Ok(())
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
    parts.push(
        match policy.strategy {
            QuotaStrategy::Serial => "serial",
            QuotaStrategy::Concurrent => "concurrent",
        }
        .to_owned(),
    );
    parts.join(", ")
}

/// How many may run at once, and what does now.
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
