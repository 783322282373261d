use std::path::PathBuf;

use scorel_extension::hook::HookEntry;
use toml::{Table, Value};

use super::hook_section::hooks;
use super::mcp::mcp_servers;
use super::origin::DocumentOrigin;
use super::schema::{AgentSection, AgentTaskSection, Document, OrchestratorSection};
use super::table_check::Tables;
use super::warning::{Warning, warning};
use super::workflow_section::WorkflowSection;
use super::{ConfigError, McpServer};
use crate::GateRule;

/// Keys that a project may set. Its limits only apply where they are lower than the user's.
const ALLOWED: [&str; 25] = [
    "hooks",
    "mcp.servers",
    "model.id",
    "model.thinkingLevel",
    "runtime.maxSteps",
    "runtime.maxTurnSeconds",
    "runtime.maxTurnTokens",
    "runtime.maxTurnCost",
    "runtime.maxSessionCost",
    "runtime.maxDayCost",
    "runtime.maxToolCalls",
    "orchestrator.maxRunning",
    "orchestrator.maxOpen",
    "orchestrator.maxQueued",
    "orchestrator.maxSpawnsPerTurn",
    "orchestrator.maxDepth",
    "orchestrator.maxCost",
    "workflow.deny",
    "workflow.maxReadBytes",
    "workflow.maxWriteBytes",
    "workflow.maxRunCost",
    "workflow.maxRunTokens",
    "workflow.maxSpawns",
    "permissions.ask",
    "permissions.deny",
];

/// Keys that a project may set in its `[agents.TYPE]` tables.
const ALLOWED_OF_AGENTS: [&str; 2] = ["defaultQuota", "enabled"];

/// The part of a project's file that applies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProjectLayer {
    pub path: PathBuf,
    pub(super) model_id: Option<String>,
    pub thinking: Option<scorel_proto::ThinkingLevel>,
    pub limits: AgentTaskSection,
    pub agents: Tables<AgentSection>,
    pub orchestrator: OrchestratorSection,
    pub workflow: WorkflowSection,
    pub ask: Vec<GateRule>,
    pub deny: Vec<GateRule>,
    pub hooks: Vec<HookEntry>,
    pub servers: Vec<McpServer>,
    /// Its other settings.
    pub refused: Vec<Warning>,
}

impl ProjectLayer {
    pub(crate) fn new(document: &Document, origin: &DocumentOrigin) -> Result<Self, ConfigError> {
        let model = document.model.as_ref().map(toml::Spanned::get_ref);
        Ok(Self {
            path: origin.path().to_owned(),
            model_id: model.and_then(|model| model.id.clone()),
            thinking: model.and_then(|model| model.thinking_level),
            limits: document.runtime.clone(),
            agents: document.agents.clone(),
            orchestrator: document.orchestrator.clone(),
            workflow: document.workflow.clone(),
            ask: document.permissions.ask.clone(),
            deny: document.permissions.deny.clone(),
            hooks: hooks(&document.hooks, false, origin)?,
            servers: mcp_servers(&document.mcp, false, origin)?,
            refused: Self::refused_keys(origin),
        })
    }

    /// The keys that are set and that a project may not set. Taken from the text and not from the
    /// schema, so that a key added to the schema later is refused until [`is_allowed`] knows it too.
    pub(super) fn refused_keys(origin: &DocumentOrigin) -> Vec<Warning> {
        let table: Table = origin.text().parse().unwrap_or_default();
        let mut keys = Vec::new();
        for (section, value) in &table {
            collect(section, value, &mut keys);
        }
        let refused = keys.into_iter().filter(|key| !is_allowed(key));
        refused
            .map(|key| warning(origin.path(), key, "a project may not set it"))
            .collect()
    }
}

/// Returns whether a project's file may set a key.
pub(crate) fn is_allowed(key: &str) -> bool {
    let of_agent = key
        .strip_prefix("agents.")
        .and_then(|key| key.rsplit_once('.'));
    ALLOWED.contains(&key) || of_agent.is_some_and(|(_, key)| ALLOWED_OF_AGENTS.contains(&key))
}

fn collect(prefix: &str, value: &Value, keys: &mut Vec<String>) {
    match value {
        Value::Table(table) => {
            for (key, value) in table {
                collect(&format!("{prefix}.{key}"), value, keys);
            }
        }
        _ => keys.push(prefix.to_owned()),
    }
}
