use scorel_proto::ChannelKind;

use super::CronEntry;

/// `[channels]`, effective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelsConfig {
    /// The kinds whose messages are accepted.
    pub enabled: Vec<ChannelKind>,
    /// The `[[channels.cron]]` of the user's file.
    pub cron: Vec<CronEntry>,
}

impl Default for ChannelsConfig {
    fn default() -> Self {
        Self {
            enabled: ChannelKind::ALL.to_vec(),
            cron: Vec::new(),
        }
    }
}

impl ChannelsConfig {
    pub fn is_enabled(&self, kind: ChannelKind) -> bool {
        self.enabled.contains(&kind)
    }
}
