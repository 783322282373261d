use jiff::civil::Date;
use serde::Deserialize;

use crate::{ModelFacts, ThinkingLevels};

/// The parameters that tell models whose ids begin alike to reason. It holds for models that are not in the
/// table too: a new one is taken to be like its family.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the origin of a row is for readers of the table")
)]
pub(super) struct ModelFamily {
    pub(super) provider: String,
    /// The beginnings of their ids, in the form of [`family_id`].
    pub(super) ids: Vec<String>,
    pub(super) levels: Option<ThinkingLevels>,
    /// True if they take parameters that control reasoning.
    pub(super) reasoning: Option<bool>,
    pub(super) source: String,
    pub(super) date: Date,
    /// True if the source is not the provider's own page.
    #[serde(default)]
    pub(super) unverified: bool,
}

impl ModelFamily {
    /// The length of the part of an id, in the form of [`family_id`], that the family names; `None` if it names none.
    pub(super) fn matched(&self, id: &str) -> Option<usize> {
        let mut beginnings = self.ids.iter().filter(|start| id.starts_with(*start));
        let first = beginnings.next()?.len();
        Some(beginnings.fold(first, |longest, start| longest.max(start.len())))
    }

    pub(super) fn facts(&self) -> ModelFacts {
        ModelFacts {
            reasoning: self.reasoning,
            levels: self.levels,
            ..ModelFacts::default()
        }
    }
}

/// The part of an id by which its family is known. Gateways decorate ids: `openai/gpt-6-sol`,
/// `eu.anthropic.claude-…`, `claude-opus-4.6`, `claude-…@20250805`.
pub(super) fn family_id(id: &str) -> String {
    let id = id.to_ascii_lowercase();
    let name = id.rsplit('/').next().unwrap_or(&id);
    match name.find("claude-") {
        Some(start) => name[start..].replace(['.', '@'], "-"),
        None => name.to_owned(),
    }
}
