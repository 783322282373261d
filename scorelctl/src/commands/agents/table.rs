use scorel_proto::{AgentInfo, EffectiveQuota};

use crate::aligned::aligned;
use crate::wire_name::wire_name;
use scorel_screen::escape::one_line;

const HEAD: [&str; 7] = [
    "AGENT",
    "RUNNER",
    "RUNNING",
    "QUEUED",
    "QUOTA",
    "WORKSPACE",
    "NAME",
];

/// The agents as a table; no lines if there are none.
pub(super) fn lines(agents: &[AgentInfo]) -> Vec<String> {
    if agents.is_empty() {
        return Vec::new();
    }
    let rows: Vec<[String; 7]> = agents.iter().map(cells).collect();
    aligned(HEAD, &rows)
}

fn cells(agent: &AgentInfo) -> [String; 7] {
    let config = &agent.config;
    let runner = match &config.model {
        Some(model) => format!("{}/{model}", config.runner),
        None => config.runner.clone(),
    };
    let state = if config.enabled { "" } else { " (disabled)" };
    [
        one_line(&agent.agent_type),
        one_line(&runner),
        agent.running.to_string(),
        agent.queued.to_string(),
        quota(agent.quota),
        wire_name(config.workspace),
        format!("{}{state}", one_line(&config.display_name)),
    ]
}

/// A quota, and what says so.
pub(super) fn quota(quota: EffectiveQuota) -> String {
    format!("{} ({})", quota.effective, wire_name(quota.source))
}

#[cfg(test)]
mod tests {
    use scorel_proto::{AgentConfig, AgentWorkspace, QuotaSource};

    use super::*;

    fn agent(name: &str, model: Option<&str>, enabled: bool) -> AgentInfo {
        AgentInfo {
            agent_type: name.to_owned(),
            config: AgentConfig {
                display_name: format!("The {name}"),
                description: String::new(),
                capabilities: Vec::new(),
                runner: "codex".to_owned(),
                model: model.map(str::to_owned),
                thinking_level: None,
                tools: None,
                prompt: None,
                workspace: AgentWorkspace::Worktree,
                default_quota: 1,
                enabled,
                max_turn_tokens: None,
                max_turn_seconds: None,
                max_session_cost: None,
            },
            running: 1,
            queued: 12,
            quota: EffectiveQuota {
                effective: 3,
                source: QuotaSource::Project,
            },
            policy: None,
            finished: 0,
            last_event: None,
        }
    }

    #[test]
    fn columns_are_aligned_and_a_disabled_agent_is_marked() {
        let agents = [
            agent("developer", Some("gpt-5"), true),
            agent("x", None, false),
        ];
        let expected = [
            "AGENT      RUNNER       RUNNING  QUEUED  QUOTA        WORKSPACE  NAME",
            "developer  codex/gpt-5  1        12      3 (project)  worktree   The developer",
            "x          codex        1        12      3 (project)  worktree   The x (disabled)",
        ];
        assert_eq!(lines(&agents), expected);
        assert!(lines(&[]).is_empty());
    }
}
