//! `[channels]`, with the `[[channels.cron]]` of the user's file.

use std::collections::BTreeSet;
use std::fmt;

use scorel_home::user_home;
use scorel_inbound::{
    CatchUp, ChannelName, ChannelsConfig, CronEntry, CronSchedule, CronSession, CronZone, Overlap,
};
use scorel_proto::{ChannelKind, PermissionMode};
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny};
use toml::Spanned;

use super::ConfigError;
use super::origin::DocumentOrigin;
use super::path::ConfigPath;

/// The most schedules of a file.
const MAX: usize = 100;

/// Bytes of a schedule's message.
const MAX_PROMPT: usize = 256 * 1024;

/// `[channels]` as it is written.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(super) struct ChannelsSection {
    pub(super) enabled: Option<Vec<ChannelKind>>,
    pub(super) cron: Vec<Spanned<CronSection>>,
    webhook: Option<Webhooks>,
}

/// One of `[[channels.cron]]` as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CronSection {
    name: ChannelName,
    schedule: CronSchedule,
    #[serde(default)]
    timezone: CronZone,
    project: ConfigPath,
    #[serde(default)]
    session: CronSession,
    prompt: String,
    #[serde(default)]
    catch_up: CatchUp,
    #[serde(default)]
    overlap: Overlap,
    #[serde(default)]
    mode: PermissionMode,
}

/// `[[channels.webhook]]`, which a later version has.
#[derive(Clone)]
struct Webhooks;

impl fmt::Debug for Webhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Webhooks")
    }
}

impl<'de> Deserialize<'de> for Webhooks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer)?;
        Err(D::Error::custom(
            "webhooks come with a later version; until then a program like docs/channels/receiver brings their messages",
        ))
    }
}

pub(super) fn channels(
    section: &ChannelsSection,
    origin: &DocumentOrigin,
) -> Result<ChannelsConfig, ConfigError> {
    let mut names = BTreeSet::new();
    let mut cron = Vec::new();
    for section in &section.cron {
        let error = |key: &str, reason: String| {
            let key = format!("channels.cron.{key}");
            let reason = format!("`{key}`: {reason}");
            origin.error(Some(section.span()), Some(key), reason, None)
        };
        let entry = section
            .get_ref()
            .entry()
            .map_err(|(key, it)| error(key, it))?;
        if cron.len() == MAX {
            return Err(error("name", format!("a file has at most {MAX} schedules")));
        }
        if !names.insert(entry.name.clone()) {
            let reason = format!("there is another schedule `{}` in this file", entry.name);
            return Err(error("name", reason));
        }
        cron.push(entry);
    }
    Ok(ChannelsConfig {
        cron,
        ..enabled(section)
    })
}

/// The kinds that are enabled, without schedules.
pub(super) fn enabled(section: &ChannelsSection) -> ChannelsConfig {
    let default = ChannelsConfig::default();
    ChannelsConfig {
        enabled: section.enabled.clone().unwrap_or(default.enabled),
        cron: Vec::new(),
    }
}

impl CronSection {
    /// The schedule; else the key at fault, with a sentence.
    fn entry(&self) -> Result<CronEntry, (&'static str, String)> {
        let project = self.project.path(user_home().as_deref());
        let project = project.ok_or_else(|| {
            let reason = "your home directory is not known, so `~/` leads nowhere";
            ("project", reason.to_owned())
        })?;
        if self.prompt.trim().is_empty() {
            return Err(("prompt", "it is empty".to_owned()));
        }
        if self.prompt.len() > MAX_PROMPT {
            let reason = format!("it is longer than {MAX_PROMPT} bytes");
            return Err(("prompt", reason));
        }
        Ok(CronEntry {
            name: self.name.clone(),
            schedule: self.schedule.clone(),
            zone: self.timezone.clone(),
            project,
            session: self.session,
            prompt: self.prompt.clone(),
            catch_up: self.catch_up,
            overlap: self.overlap,
            mode: self.mode,
        })
    }
}
