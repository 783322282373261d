//! The differences between Gemini model families, by model id.

use scorel_proto::ThinkingLevel;

use crate::ThinkingLevels;
use ThinkingLevel::{High, Low, Medium, Minimal};

/// The parameter by which a family's reasoning is controlled, which tells the other differences too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GeminiFamily {
    /// None: the model does not reason, or nothing is known about it.
    Old,
    /// `thinkingBudget`, in tokens (Gemini 2.5).
    Budget(ThinkingBudgets),
    /// `thinkingLevel` (since Gemini 3).
    Level,
}

/// The budgets in which the models of a family differ, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThinkingBudgets {
    /// Zero where reasoning can be switched off.
    least: u32,
    minimal: u32,
    high: u32,
}

impl ThinkingBudgets {
    /// `None` leaves the budget to the model.
    pub(super) const fn of(self, level: ThinkingLevel) -> Option<u32> {
        match level {
            ThinkingLevel::Default => None,
            ThinkingLevel::None => Some(self.least),
            Minimal => Some(self.minimal),
            Low => Some(2_048),
            Medium => Some(8_192),
            High | ThinkingLevel::Xhigh | ThinkingLevel::Max => Some(self.high),
        }
    }
}

impl GeminiFamily {
    const fn budgets(least: u32, minimal: u32, high: u32) -> Self {
        Self::Budget(ThinkingBudgets {
            least,
            minimal,
            high,
        })
    }

    /// Returns whether the first call of a reply must carry a thought signature: Gemini 3 rejects a history
    /// without ("missing a thought_signature").
    pub(super) const fn signs_calls(self) -> bool {
        matches!(self, Self::Level)
    }

    /// Returns whether a function response may contain images, as since Gemini 3.
    pub(super) const fn takes_images_in_responses(self) -> bool {
        matches!(self, Self::Level)
    }

    /// The levels of a model of which nothing else is known: those that all of its family have.
    pub(crate) const fn least_levels(self) -> ThinkingLevels {
        match self {
            Self::Old => ThinkingLevels::of(&[]),
            Self::Level => ThinkingLevels::of(&[Low, High]),
            Self::Budget(budgets) => {
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
        found.map_or(Self::Old, |(_, family)| *family)
    }
}

/// Prefixes of ids; the first match wins.
const FAMILIES: &[(&str, GeminiFamily)] = &[
    ("gemini-1", GeminiFamily::Old),
    ("gemini-2.0", GeminiFamily::Old),
    ("gemini-2.5-flash-image", GeminiFamily::Old),
    (
        "gemini-2.5-flash-lite",
        GeminiFamily::budgets(0, 512, 24_576),
    ),
    ("gemini-2.5-flash", GeminiFamily::budgets(0, 128, 24_576)),
    // Pro cannot switch reasoning off: 128 is its minimum.
    ("gemini-2.5", GeminiFamily::budgets(128, 128, 32_768)),
    // Later models and aliases such as `gemini-pro-latest` are like the newest.
    ("gemini-", GeminiFamily::Level),
];

#[cfg(test)]
mod tests {
    use super::GeminiFamily;

    #[test]
    fn the_longest_prefix_wins() {
        assert_eq!(GeminiFamily::of("gemini-2.0-flash"), GeminiFamily::Old);
        let lite = GeminiFamily::budgets(0, 512, 24_576);
        assert_eq!(GeminiFamily::of("gemini-2.5-flash-lite-preview"), lite);
        assert!(GeminiFamily::of("publishers/google/models/gemini-3-pro-preview").signs_calls());
        assert!(GeminiFamily::of("gemini-pro-latest").signs_calls());
        assert_eq!(GeminiFamily::of("gemma-3-27b-it"), GeminiFamily::Old);
    }
}
