//! What a model's id says about its ways, as data.

use scorel_proto::ThinkingLevel;

use ThinkingLevel::{High, Low, Medium, Minimal};

/// The ways of some models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Family {
    /// How its models are told how much to think.
    pub(super) thinking: Thinking,
    /// Whether the first call of an answer must carry a signature.
    pub(super) signed_calls: bool,
    /// Whether a function's response may hold pictures.
    pub(super) pictures_in_responses: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thinking {
    /// They do not think, or nothing is known about it.
    Absent,
    /// `thinkingBudget`, in tokens.
    Budget(Budgets),
    /// `thinkingLevel`, one of these from least to most.
    Level(&'static [ThinkingLevel]),
}

/// How many tokens each level is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Budgets {
    /// Zero where thinking can be switched off.
    least: u32,
    minimal: u32,
    low: u32,
    medium: u32,
    high: u32,
}

impl Budgets {
    /// The budget of a level; `None` for the model's own choice.
    pub(super) const fn of(self, level: ThinkingLevel) -> Option<u32> {
        match level {
            ThinkingLevel::Default => None,
            ThinkingLevel::None => Some(self.least),
            Minimal => Some(self.minimal),
            Low => Some(self.low),
            Medium => Some(self.medium),
            High => Some(self.high),
        }
    }
}

impl Family {
    const OLD: Self = Self {
        thinking: Thinking::Absent,
        signed_calls: false,
        pictures_in_responses: false,
    };

    const fn budgets(least: u32, minimal: u32, high: u32) -> Self {
        let budgets = Budgets {
            least,
            minimal,
            low: 2_048,
            medium: 8_192,
            high,
        };
        Self {
            thinking: Thinking::Budget(budgets),
            ..Self::OLD
        }
    }

    const fn levels(levels: &'static [ThinkingLevel]) -> Self {
        Self {
            thinking: Thinking::Level(levels),
            signed_calls: true,
            pictures_in_responses: true,
        }
    }

    /// The family of a model.
    pub(super) fn of(model: &str) -> Self {
        let name = model.rsplit_once('/').map_or(model, |(_, name)| name);
        let mut known = FAMILIES.iter();
        let found = known.find(|(prefix, _)| name.starts_with(prefix));
        found.map_or(Self::OLD, |(_, family)| *family)
    }
}

/// The beginnings of ids; the first that fits counts.
const FAMILIES: &[(&str, Family)] = &[
    ("gemini-1", Family::OLD),
    ("gemini-2.0", Family::OLD),
    ("gemini-2.5-flash-image", Family::OLD),
    ("gemini-2.5-flash-lite", Family::budgets(0, 512, 24_576)),
    ("gemini-2.5-flash", Family::budgets(0, 128, 24_576)),
    ("gemini-2.5", Family::budgets(128, 128, 32_768)),
    ("gemini-3-pro", Family::levels(&[Low, High])),
    ("gemini-3.1-pro", Family::levels(&[Low, Medium, High])),
    ("gemini-3", Family::levels(&[Minimal, Low, Medium, High])),
    // Newer ones, and names that stand for the latest; all have these two.
    ("gemini-", Family::levels(&[Low, High])),
];

#[cfg(test)]
mod tests {
    use super::{Family, Thinking};

    #[test]
    fn the_most_exact_beginning_counts() {
        assert_eq!(Family::of("gemini-2.0-flash").thinking, Thinking::Absent);
        let lite = Family::budgets(0, 512, 24_576);
        assert_eq!(Family::of("gemini-2.5-flash-lite-preview"), lite);
        assert!(Family::of("publishers/google/models/gemini-3-pro-preview").signed_calls);
        assert!(Family::of("gemini-pro-latest").signed_calls);
        assert_eq!(Family::of("gemma-3-27b-it"), Family::OLD);
    }
}
