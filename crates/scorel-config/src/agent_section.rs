//! The `[agents.TYPE]` tables of the user's file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use scorel_proto::{AgentConfig, OWN_RUNNER};
use toml::Spanned;

use super::ConfigError;
use super::agent::{AgentLimits, AgentSettings, Agents};
use super::agent_texts::AgentTexts;
use super::dollars::Dollars;
use super::endpoint::filled;
use super::origin::DocumentOrigin;
use super::parse::nearest;
use super::runner::{Runners, check_preset};
use super::schema::AgentSection;

/// How many runtimes of an agent run at once without a number.
const DEFAULT_QUOTA: u32 = 1;

/// One table and its position in the file, for errors.
struct TableCheck<'a> {
    name: &'a str,
    section: &'a AgentSection,
    span: Range<usize>,
    origin: &'a DocumentOrigin,
}

/// The agents that the tables describe.
pub(crate) fn agents(
    sections: &BTreeMap<String, Spanned<AgentSection>>,
    origin: &DocumentOrigin,
) -> Result<Agents, ConfigError> {
    let settings = checks(sections, origin).into_iter();
    settings
        .map(|check| Ok((check.name.to_owned(), check.settings()?)))
        .collect()
}

/// Accepts agents whose turns run on one of `runners`, with tools that it has, or on the daemon's own engine.
/// Not a part of loading: a wrong one fails the turns of its agent, and nothing else.
pub(super) fn check_runners(
    sections: &BTreeMap<String, Spanned<AgentSection>>,
    runners: &Runners,
    origin: &DocumentOrigin,
) -> Result<(), ConfigError> {
    let mut checks = checks(sections, origin).into_iter();
    checks.try_for_each(|check| check.runner(runners))
}

/// In the order of the file, so that its first error is the one reported.
fn checks<'a>(
    sections: &'a BTreeMap<String, Spanned<AgentSection>>,
    origin: &'a DocumentOrigin,
) -> Vec<TableCheck<'a>> {
    let mut sections: Vec<_> = sections.iter().collect();
    sections.sort_by_key(|(_, section)| section.span().start);
    let check = |(name, section): (&'a String, &'a Spanned<AgentSection>)| TableCheck {
        name,
        section: section.get_ref(),
        span: section.span(),
        origin,
    };
    sections.into_iter().map(check).collect()
}

impl TableCheck<'_> {
    fn settings(&self) -> Result<AgentSettings, ConfigError> {
        self.check_texts()?;
        let section = self.section;
        let text = |text: &Option<String>| filled(text.as_deref()).map(str::to_owned);
        let quota = section.default_quota.map(|quota| quota.get());
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
            default_quota: quota.map_or(DEFAULT_QUOTA, saturated),
            enabled: section.enabled.unwrap_or(true),
            max_turn_tokens: section.max_turn_tokens.map(|tokens| tokens.get()),
            max_turn_seconds: section.max_turn_seconds.map(|seconds| seconds.get()),
            max_session_cost: section.max_session_cost.and_then(Dollars::number),
        };
        let limits = AgentLimits {
            max_turn_tokens: config.max_turn_tokens,
            max_turn: config.max_turn_seconds.map(Duration::from_secs),
            max_session_cost: section.max_session_cost.map(Dollars::get),
        };
        Ok(AgentSettings {
            config,
            quota_cap: None,
            limits,
        })
    }

    fn runner(&self, runners: &Runners) -> Result<(), ConfigError> {
        let Some(name) = filled(self.section.runner.as_deref()) else {
            return Ok(());
        };
        if name == OWN_RUNNER || runners.contains_key(name) {
            let checked = check_preset(name, self.section.tools);
            return checked.map_err(|reason| self.error(Some("runner"), &reason, None));
        }
        let known = runners.keys().map(String::as_str).chain([OWN_RUNNER]);
        let suggestion = nearest(name, known).map(str::to_owned);
        let reason = format!("no runner `{name}` is configured");
        Err(self.error(Some("runner"), &reason, suggestion))
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

    /// `key` is one of the table; `None` for the table as a whole.
    fn error(&self, key: Option<&str>, reason: &str, suggestion: Option<String>) -> ConfigError {
        let mut path = format!("agents.{}", self.name);
        if let Some(key) = key {
            path.push('.');
            path.push_str(key);
        }
        let reason = format!("`{path}`: {reason}");
        self.origin
            .error(Some(self.span.clone()), Some(path), reason, suggestion)
    }
}

/// The schema's range lies within the type's.
pub(super) fn saturated(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
