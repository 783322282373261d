use scorel_orchestrator::{AgentPolicy, OrchestratorLimits};
use scorel_proto::{
    AgentWorkspace, QuotaPolicy, QuotaSource, QuotaStrategy, ThinkingLevel, ToolPreset,
};

use super::super::file_layer::FileLayer;
use super::super::problems::problems_of_text;
use super::*;

const USER: &str = "
[agents.review]
defaultQuota = 4
[agents.off]
enabled = false
[orchestrator]
maxRunning = 6
maxCost = 2.5
";

fn warned(config: &Config) -> Vec<(&str, &str)> {
    let warnings = config.warnings.iter();
    warnings
        .map(|warning| (warning.key.as_str(), warning.reason))
        .collect()
}

#[test]
fn a_table_without_keys_is_an_agent_with_the_defaults() {
    let agent = user("[agents.review]").unwrap().agents["review"].clone();
    assert_eq!(agent.config.display_name, "review");
    assert_eq!(agent.config.runner, "scorel");
    assert_eq!(agent.config.workspace, AgentWorkspace::Shared);
    assert_eq!(
        (agent.config.default_quota, agent.config.enabled),
        (1, true)
    );
    assert_eq!((agent.config.model, agent.config.prompt), (None, None));
    assert_eq!((agent.quota_cap, agent.max_session_cost), (None, None));
    let usual = Config::default().orchestrator;
    assert_eq!(
        (usual.max_running, usual.max_open, usual.max_queued),
        (8, 32, 256)
    );
    assert_eq!((usual.max_spawns_per_turn, usual.max_depth), (16, 2));
    assert_eq!(usual.max_cost, None);
}

#[test]
fn every_key_of_an_agent_and_of_the_orchestrator_is_read() {
    let config = user(
        r#"
        [agents.rev-1_A]
        displayName = "Reviewer"
        description = "reads"
        capabilities = ["review", "rust"]
        runner = "mine"
        model = "anthropic:big"
        thinkingLevel = "high"
        tools = "readonly"
        prompt = "Be brief."
        workspace = "worktree"
        defaultQuota = 0
        enabled = false
        maxTurnTokens = 5
        maxTurnSeconds = 6
        maxSessionCost = 0.5
        [runners.mine]
        type = "command"
        command = ["mine"]
        [orchestrator]
        maxRunning = 1
        maxOpen = 2
        maxQueued = 3
        maxSpawnsPerTurn = 4
        maxDepth = 0
        maxCost = 1.25
        "#,
    )
    .unwrap();
    let AgentSettings {
        config: agent,
        max_session_cost,
        ..
    } = &config.agents["rev-1_A"];
    assert_eq!(
        (agent.display_name.as_str(), agent.description.as_str()),
        ("Reviewer", "reads")
    );
    assert_eq!(agent.capabilities, ["review", "rust"]);
    assert_eq!(agent.runner, "mine");
    assert_eq!(agent.model.as_deref(), Some("anthropic:big"));
    assert_eq!(agent.thinking_level, Some(ThinkingLevel::High));
    assert_eq!(agent.tools, Some(ToolPreset::Readonly));
    assert_eq!(agent.prompt.as_deref(), Some("Be brief."));
    assert_eq!(agent.workspace, AgentWorkspace::Worktree);
    assert_eq!((agent.default_quota, agent.enabled), (0, false));
    assert_eq!(agent.max_turn_tokens, Some(5));
    assert_eq!(agent.max_turn_seconds, Some(6));
    assert_eq!(*max_session_cost, Some(500_000));
    let expected = OrchestratorLimits {
        max_running: 1,
        max_open: 2,
        max_queued: 3,
        max_spawns_per_turn: 4,
        max_depth: 0,
        max_cost: Some(1_250_000),
    };
    assert_eq!(config.orchestrator, expected);
}

#[test]
fn what_an_agent_cannot_be_is_refused_with_its_place() {
    let long = |key: &str, len| format!("[agents.x]\n{key} = '{}'", "x".repeat(len));
    let many = format!("[agents.x]\ncapabilities = [{}]", "'a',".repeat(65));
    let long_one = format!("[agents.x]\ncapabilities = ['{}']", "x".repeat(1025));
    for (text, key, line) in [
        ("[agents.'a b']".to_owned(), "agents.a b", 1),
        ("[agents.'']".to_owned(), "agents.", 1),
        (format!("[agents.{}]", "x".repeat(65)), "", 1),
        (
            "[agents.x]\ndefaultQuota = 1001".to_owned(),
            "agents.x.defaultQuota",
            2,
        ),
        (
            "[agents.x]\nworkspace = 'worktre'".to_owned(),
            "agents.x.workspace",
            2,
        ),
        (
            "[agents.x]\ndescripton = ''".to_owned(),
            "agents.x.descripton",
            2,
        ),
        (
            "[orchestrator]\nmaxRunning = 0".to_owned(),
            "orchestrator.maxRunning",
            2,
        ),
        (long("displayName", 1025), "agents.x.displayName", 1),
        (long("description", 4097), "agents.x.description", 1),
        (long("model", 257), "agents.x.model", 2),
        (long("prompt", 65_537), "agents.x.prompt", 1),
        (many, "agents.x.capabilities", 1),
        (long_one, "agents.x.capabilities", 1),
    ] {
        let (place, found, _, reason) = refused(&text);
        assert_eq!(place.map(|(line, _)| line), Some(line), "{text}: {reason}");
        if !key.is_empty() {
            assert_eq!(found.as_deref(), Some(key), "{reason}");
        }
    }
    for (key, len) in [
        ("displayName", 1024),
        ("description", 4096),
        ("prompt", 65_536),
    ] {
        assert!(user(&long(key, len)).is_ok(), "{key}");
    }
    assert!(user(&format!("[agents.{}]", "x".repeat(64))).is_ok());
}

/// A typo takes no other session down.
#[test]
fn a_runner_that_is_not_there_is_a_problem_of_its_agent_alone() {
    for (text, expected) in [
        ("\n[agents.x]\nrunner = 'codxe'", "codex"),
        ("\n[agents.x]\nrunner = 'scorell'", "scorel"),
        (
            "\n[agents.x]\nrunner = 'min'\n[runners.mine]\ntype='command'\ncommand=['m']",
            "mine",
        ),
    ] {
        assert!(user(text).unwrap().agents.contains_key("x"));
        let found = problems_of_text(Path::new("f"), text.as_bytes(), FileLayer::User);
        let [problem] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(problem.key(), Some("agents.x.runner"));
        let shown = problem.to_string();
        assert!(
            shown.starts_with("f:2:2: ") || shown.starts_with("f:2:1: "),
            "{shown}"
        );
        assert!(shown.contains(&format!("`{expected}`")), "{shown}");
    }
}

#[test]
fn the_nearest_key_and_workspace_are_suggested() {
    for (text, expected) in [
        ("[agents.x]\nworkspace = 'worktre'", "worktree"),
        ("[agents.x]\ndescripton = ''", "description"),
        ("[agent.x]", "agents"),
    ] {
        let (_, _, suggestion, reason) = refused(text);
        assert_eq!(suggestion.as_deref(), Some(expected), "{text}: {reason}");
    }
}

#[test]
fn of_a_project_only_what_makes_less_of_agents_applies() {
    let base = user(USER).unwrap();
    let text = "
        [agents.review]
        defaultQuota = 2
        enabled = false
        [agents.off]
        enabled = true
        [agents.other]
        defaultQuota = 1
    ";
    let config = with_project(&base, text).unwrap();
    let review = &config.agents["review"];
    assert_eq!((review.quota_cap, review.config.enabled), (Some(2), false));
    assert_eq!(review.config.default_quota, 4, "it is the user's");
    assert!(!config.agents["off"].config.enabled);
    assert!(!config.agents.contains_key("other"));
    let expected = [
        ("agents.off.enabled", "a project can only disable it"),
        ("agents.other", "the user's file has no such agent"),
    ];
    assert_eq!(warned(&config), expected);
}

#[test]
fn a_projects_other_keys_of_agents_are_left_out_and_named() {
    let base = user(USER).unwrap();
    let text = "
        [agents.review]
        displayName = 'x'
        description = 'x'
        capabilities = ['x']
        runner = 'codex'
        model = 'x'
        thinkingLevel = 'high'
        tools = 'all'
        prompt = 'do evil'
        workspace = 'worktree'
        maxTurnTokens = 1
        maxTurnSeconds = 1
        maxSessionCost = 1
    ";
    let config = with_project(&base, text).unwrap();
    assert_eq!(config.agents, base.agents);
    assert_eq!(config.warnings.len(), 12, "{:?}", config.warnings);
    for (key, reason) in warned(&config) {
        assert!(key.starts_with("agents.review."), "{key}");
        assert_eq!(reason, "a project may not set it");
    }
}

#[test]
fn a_project_may_only_lower_the_orchestrators_limits() {
    let base = user(USER).unwrap();
    let text = "
        [orchestrator]
        maxRunning = 7
        maxOpen = 31
        maxQueued = 257
        maxSpawnsPerTurn = 1
        maxDepth = 0
        maxCost = 3
    ";
    let config = with_project(&base, text).unwrap();
    let expected = OrchestratorLimits {
        max_running: 6,
        max_open: 31,
        max_queued: 256,
        max_spawns_per_turn: 1,
        max_depth: 0,
        max_cost: Some(2_500_000),
    };
    assert_eq!(config.orchestrator, expected);
    let keys: Vec<_> = warned(&config).into_iter().map(|(key, _)| key).collect();
    let raised = [
        "orchestrator.maxRunning",
        "orchestrator.maxQueued",
        "orchestrator.maxCost",
    ];
    assert_eq!(keys, raised);
    let without = user("").unwrap();
    let lowered = with_project(&without, "[orchestrator]\nmaxCost = 3").unwrap();
    assert_eq!(
        lowered.orchestrator.max_cost,
        Some(3_000_000),
        "the user has none"
    );
    assert_eq!(warned(&lowered), []);
}

#[test]
fn the_projects_number_caps_whatever_the_policy_says() {
    let base = user(USER).unwrap();
    let config = with_project(&base, "[agents.review]\ndefaultQuota = 3").unwrap();
    let agent = &config.agents["review"];
    let quota = |policy: &QuotaPolicy, workflow| effective(agent, policy, workflow);
    let none = QuotaPolicy::default();
    assert_eq!(quota(&none, None), (3, QuotaSource::Project));
    let mut policy = QuotaPolicy {
        project: Some(2),
        workflow: [("w".to_owned(), 9)].into(),
        strategy: QuotaStrategy::Concurrent,
    };
    assert_eq!(quota(&policy, None), (2, QuotaSource::Project));
    assert_eq!(quota(&policy, Some("w")), (3, QuotaSource::Project));
    assert_eq!(quota(&policy, Some("v")), (2, QuotaSource::Project));
    policy.strategy = QuotaStrategy::Serial;
    assert_eq!(quota(&policy, Some("w")), (1, QuotaSource::Serial));
    let own = effective(&base.agents["review"], &none, None);
    assert_eq!(own, (4, QuotaSource::Default));
}

fn effective(
    agent: &AgentSettings,
    policy: &QuotaPolicy,
    workflow: Option<&str>,
) -> (u32, QuotaSource) {
    let policy = AgentPolicy {
        config: agent.config.clone(),
        quota: policy.clone(),
        cap: agent.quota_cap,
    };
    let quota = policy.effective(workflow);
    (quota.effective, quota.source)
}

#[test]
fn an_agents_limits_only_lower_those_of_a_turn() {
    let text = "
        [runtime]
        maxTurnTokens = 100
        maxTurnSeconds = 60
        maxSessionCost = 2
        [agents.low]
        maxTurnTokens = 10
        maxTurnSeconds = 6
        maxSessionCost = 1
        [agents.high]
        maxTurnTokens = 1000
        maxTurnSeconds = 600
        maxSessionCost = 3
    ";
    let config = user(text).unwrap();
    let low = config.runtime_of(Some("low"));
    assert_eq!((low.max_turn_tokens, low.max_turn.as_secs()), (10, 6));
    assert_eq!(low.cost.session, Some(1_000_000));
    assert_eq!(low.max_steps, config.runtime.max_steps);
    for other in [Some("high"), Some("gone"), None] {
        assert_eq!(config.runtime_of(other), config.runtime, "{other:?}");
    }
    let config = user("[agents.a]\nmaxSessionCost = 1").unwrap();
    assert_eq!(config.runtime_of(Some("a")).cost.session, Some(1_000_000));
}
