//! A project file's settings for agents: they only restrict what the user's file allows.

use std::collections::BTreeMap;

use super::agent::AgentSettings;
use super::bounded::{narrow, number};
use super::schema::AgentSection;
use super::table_check::Tables;

/// The part of a project's `[agents.TYPE]` that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AgentLayer {
    quota_cap: Option<u32>,
    enabled: Option<bool>,
}

impl AgentLayer {
    pub(crate) fn all(sections: &Tables<AgentSection>) -> BTreeMap<String, Self> {
        let layers = sections.iter().map(|(name, section)| {
            let section = section.get_ref();
            let layer = Self {
                quota_cap: number(section.default_quota).map(narrow),
                enabled: section.enabled,
            };
            (name.clone(), layer)
        });
        layers.collect()
    }

    pub(crate) fn apply(self, agent: &mut AgentSettings) -> Result<(), &'static str> {
        agent.quota_cap = self.quota_cap;
        match self.enabled {
            Some(true) if !agent.config.enabled => Err("a project can only disable it"),
            Some(enabled) => {
                agent.config.enabled = enabled;
                Ok(())
            }
            None => Ok(()),
        }
    }
}
