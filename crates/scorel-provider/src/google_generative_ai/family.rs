//! The differences between Gemini model families, by model id.

use scorel_proto::ThinkingLevel;

use crate::ThinkingLevels;
use ThinkingLevel::{High, Low, Medium, Minimal};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GeminiFamily {
    pub(super) thinking: GeminiThinking,
    /// True if the first call of a reply must carry a thought signature: Gemini 3 rejects a history without
    /// ("missing a thought_signature").
    pub(super) signed_calls: bool,
    /// True if a function response may contain images, as since Gemini 3.
    pub(super) images_in_responses: bool,
}

/// The parameter by which a family's reasoning is controlled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GeminiThinking {
    /// None: the model does not reason, or nothing is known about it.
    Absent,
    /// `thinkingBudget`, in tokens (Gemini 2.5).
    Budget(ThinkingBudgets),
    /// `thinkingLevel` (since Gemini 3).
    Level,
}

/// The budget for each level, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThinkingBudgets {
    /// Zero where reasoning can be switched off.
    least: u32,
    minimal: u32,
    low: u32,
    medium: u32,
    high: u32,
}

impl ThinkingBudgets {
    /// `None` leaves the budget to the model.
    pub(super) const fn of(self, level: ThinkingLevel) -> Option<u32> {
        match level {
            ThinkingLevel::Default => None,
            ThinkingLevel::None => Some(self.least),
            Minimal => Some(self.minimal),
            Low => Some(self.low),
            Medium => Some(self.medium),
            High | ThinkingLevel::Xhigh | ThinkingLevel::Max => Some(self.high),
        }
    }
}

impl GeminiFamily {
    const OLD: Self = Self {
        thinking: GeminiThinking::Absent,
        signed_calls: false,
        images_in_responses: false,
    };

    const fn budgets(least: u32, minimal: u32, high: u32) -> Self {
        let budgets = ThinkingBudgets {
            least,
            minimal,
            low: 2_048,
            medium: 8_192,
            high,
        };
        Self {
            thinking: GeminiThinking::Budget(budgets),
            ..Self::OLD
        }
    }

    const LEVELS: Self = Self {
        thinking: GeminiThinking::Level,
        signed_calls: true,
        images_in_responses: true,
    };

    /// The levels of a model of which nothing else is known: those that all of its family have.
    pub(crate) const fn least_levels(self) -> ThinkingLevels {
        match self.thinking {
            GeminiThinking::Absent => ThinkingLevels::of(&[]),
            GeminiThinking::Level => ThinkingLevels::of(&[Low, High]),
            GeminiThinking::Budget(budgets) => {
                let levels = ThinkingLevels::of(&[Minimal, Low, Medium, High]);
                match budgets.least {
                    0 => levels.with(ThinkingLevel::None),
                    _ => levels,
                }
            }
        }
    }

    pub(crate) fn of(model: &str) -> Self {
        let name = model.rsplit_once('/').map_or(model, |(_, name)| name);
        let mut known = FAMILIES.iter();
        let found = known.find(|(prefix, _)| name.starts_with(prefix));
        found.map_or(Self::OLD, |(_, family)| *family)
    }
}

/// Prefixes of ids; the first match wins.
const FAMILIES: &[(&str, GeminiFamily)] = &[
    ("gemini-1", GeminiFamily::OLD),
    ("gemini-2.0", GeminiFamily::OLD),
    ("gemini-2.5-flash-image", GeminiFamily::OLD),
    (
        "gemini-2.5-flash-lite",
        GeminiFamily::budgets(0, 512, 24_576),
    ),
    ("gemini-2.5-flash", GeminiFamily::budgets(0, 128, 24_576)),
    // Pro cannot switch reasoning off: 128 is its minimum.
    ("gemini-2.5", GeminiFamily::budgets(128, 128, 32_768)),
    // Later models and aliases such as `gemini-pro-latest` are like the newest.
    ("gemini-", GeminiFamily::LEVELS),
];

#[cfg(test)]
mod tests {
    use super::{GeminiFamily, GeminiThinking};

    #[test]
    fn the_longest_prefix_wins() {
        assert_eq!(
            GeminiFamily::of("gemini-2.0-flash").thinking,
            GeminiThinking::Absent
        );
        let lite = GeminiFamily::budgets(0, 512, 24_576);
        assert_eq!(GeminiFamily::of("gemini-2.5-flash-lite-preview"), lite);
        assert!(GeminiFamily::of("publishers/google/models/gemini-3-pro-preview").signed_calls);
        assert!(GeminiFamily::of("gemini-pro-latest").signed_calls);
        assert_eq!(GeminiFamily::of("gemma-3-27b-it"), GeminiFamily::OLD);
    }
}
