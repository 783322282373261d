//! The `[agents.TYPE]` tables of the user's file.

use scorel_extension::nearest;
use scorel_proto::{AgentConfig, OWN_RUNNER};

use super::ConfigError;
use super::agent::{AgentSettings, Agents};
use super::agent_texts::AgentTexts;
use super::bounded::{number, number_or};
use super::dollars::Dollars;
use super::endpoint::filled;
use super::origin::DocumentOrigin;
use super::runner::Runners;
use super::schema::AgentSection;
use super::table_check::{TableCheck, Tables};

const TABLES: &str = "agents";

/// How many runtimes of an agent run at once without a number.
const DEFAULT_QUOTA: u32 = 1;

/// The agents that the tables describe.
pub(crate) fn agents(
    tables: &Tables<AgentSection>,
    origin: &DocumentOrigin,
) -> Result<Agents, ConfigError> {
    TableCheck::all(TABLES, tables, origin)
        .map(|check| Ok((check.name.to_owned(), check.settings()?)))
        .collect()
}

/// Accepts agents whose turns run on one of `runners`, with tools that it has, or on the daemon's own engine.
/// Not a part of loading: a wrong one fails the turns of its agent, and nothing else.
pub(super) fn check_runners(
    tables: &Tables<AgentSection>,
    runners: &Runners,
    origin: &DocumentOrigin,
) -> Result<(), ConfigError> {
    TableCheck::all(TABLES, tables, origin).try_for_each(|check| check.runner(runners))
}

impl TableCheck<'_, AgentSection> {
    fn settings(&self) -> Result<AgentSettings, ConfigError> {
        self.check_texts()?;
        let section = self.section;
        let text = |text: &Option<String>| filled(text.as_deref()).map(str::to_owned);
        let config = AgentConfig {
            display_name: text(&section.display_name).unwrap_or_else(|| self.name.to_owned()),
            description: text(&section.description).unwrap_or_default(),
            capabilities: section.capabilities.clone(),
            runner: text(&section.runner).unwrap_or_else(|| OWN_RUNNER.to_owned()),
            model: text(&section.model),
            thinking_level: section.thinking_level,
            tools: section.tools,
            prompt: text(&section.prompt),
            workspace: section.workspace,
            default_quota: number_or(section.default_quota, DEFAULT_QUOTA),
            enabled: section.enabled.unwrap_or(true),
            max_turn_tokens: number(section.max_turn_tokens),
            max_turn_seconds: number(section.max_turn_seconds),
            max_session_cost: section.max_session_cost.and_then(Dollars::number),
        };
        Ok(AgentSettings {
            config,
            quota_cap: None,
            max_session_cost: section.max_session_cost.map(Dollars::get),
        })
    }

    fn runner(&self, runners: &Runners) -> Result<(), ConfigError> {
        let Some(name) = filled(self.section.runner.as_deref()) else {
            return Ok(());
        };
        if name == OWN_RUNNER || runners.contains_key(name) {
            return Ok(());
        }
        let known = runners.keys().map(String::as_str).chain([OWN_RUNNER]);
        let reason = format!("no runner `{name}` is configured");
        Err(self.error(Some("runner"), &reason, nearest(name, known)))
    }

    fn check_texts(&self) -> Result<(), ConfigError> {
        let section = self.section;
        let texts = AgentTexts {
            name: self.name,
            display_name: section.display_name.as_deref(),
            description: section.description.as_deref(),
            capabilities: Some(&section.capabilities),
            runner: section.runner.as_deref(),
            model: section.model.as_deref(),
            prompt: section.prompt.as_deref(),
        };
        let refused = |refused: super::RefusedText| self.error(refused.key, &refused.reason, None);
        texts.check().map_err(refused)
    }
}
