//! How models are told to think, as data by their ids.

use scorel_proto::ThinkingLevel;
use serde_json::{Value, json};

use crate::wire::nearest;

/// How a model is told how much to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thinking {
    /// Not at all.
    Never,
    /// By a number of tokens.
    Budget,
    /// By how much effort it makes; it decides itself when to think.
    Adaptive {
        /// Whether it thinks when it is told nothing.
        by_default: bool,
        /// Whether it can be told not to think at all.
        can_stop: bool,
        /// Whether it refuses its own reasoning when anything before it has changed, such as the
        /// beginning of a conversation that was summarised.
        bound: bool,
    },
}

/// Thinks when told.
const TOLD: Thinking = Thinking::Adaptive {
    by_default: false,
    can_stop: true,
    bound: false,
};
/// Thinks unless told not to.
const USUAL: Thinking = Thinking::Adaptive {
    by_default: true,
    can_stop: true,
    bound: false,
};
/// Always thinks.
const ALWAYS: Thinking = Thinking::Adaptive {
    by_default: true,
    can_stop: false,
    bound: false,
};
/// Always thinks, and reasoning belongs to its conversation.
const BOUND: Thinking = Thinking::Adaptive {
    by_default: true,
    can_stop: false,
    bound: true,
};

/// Beginnings of ids, of which the first that fits counts. The last ones are for what comes.
const MODELS: &[(&str, Thinking)] = &[
    ("claude-opus-4-6", TOLD),
    ("claude-opus-4-7", TOLD),
    ("claude-opus-4-8", TOLD),
    ("claude-sonnet-4-6", TOLD),
    ("claude-3-7", Thinking::Budget),
    ("claude-3", Thinking::Never),
    ("claude-haiku-4", Thinking::Budget),
    ("claude-opus-4", Thinking::Budget),
    ("claude-sonnet-4", Thinking::Budget),
    ("claude-opus-5-", BOUND),
    ("claude-opus-5", USUAL),
    ("claude-sonnet-5-", BOUND),
    ("claude-sonnet-5", USUAL),
    ("claude-fable-5-", BOUND),
    ("claude-fable-5", ALWAYS),
    ("claude-mythos-5-", BOUND),
    ("claude-mythos", ALWAYS),
    ("claude-", BOUND),
];

/// The least budget that endpoints accept, in tokens.
const LEAST_BUDGET: u64 = 1_024;

impl Thinking {
    /// What the model understands. Models of others behind this wire take budgets.
    pub(super) fn of(model: &str) -> Self {
        let id = model.to_ascii_lowercase().replace(['.', '@'], "-");
        let id = id.find("claude-").map_or("", |start| &id[start..]);
        let mut found = MODELS.iter().filter(|(start, _)| id.starts_with(start));
        found.next().map_or(Self::Budget, |(_, thinking)| *thinking)
    }

    /// The feature in trial at Anthropic that goes with the model: thought between calls, which
    /// newer models have anyway, or the switch for reasoning that is out of place.
    pub(super) const fn beta(self) -> Option<&'static str> {
        match self {
            Self::Budget => Some("interleaved-thinking-2025-05-14"),
            Self::Adaptive { bound: true, .. } => Some("thinking-binding-controls-2026-08-01"),
            Self::Never | Self::Adaptive { bound: false, .. } => None,
        }
    }

    /// The fields of a request. `output_limit` is the bound to the whole answer, in tokens.
    pub(super) fn fields(
        self,
        level: ThinkingLevel,
        output_limit: u64,
        betas: bool,
    ) -> Vec<(&'static str, Value)> {
        use ThinkingLevel::{Default, High, Low, Medium, None as Off};
        let disabled = || vec![("thinking", json!({"type": "disabled"}))];
        match (self, level) {
            (Self::Never, _) | (Self::Budget, Default) => Vec::new(),
            (Self::Budget | Self::Adaptive { can_stop: true, .. }, Off) => disabled(),
            (Self::Budget, _) => budget(level, output_limit).into_iter().collect(),
            (
                Self::Adaptive {
                    by_default, bound, ..
                },
                Default,
            ) => {
                let shown = by_default.then(|| ("thinking", adaptive(bound && betas)));
                shown.into_iter().collect()
            }
            (Self::Adaptive { bound, .. }, _) => {
                let effort = nearest(&[Low, Medium, High], level);
                vec![
                    ("thinking", adaptive(bound && betas)),
                    ("output_config", json!({"effort": effort})),
                ]
            }
        }
    }
}

/// Reasoning is asked for in words, which newer models leave out otherwise.
fn adaptive(drop_unbound: bool) -> Value {
    let mut thinking = json!({"type": "adaptive", "display": "summarized"});
    if drop_unbound {
        // Else the change of a prompt would end the conversation.
        thinking["block_binding"] = json!({"prefix_mismatch_behavior": "drop_block"});
    }
    thinking
}

/// The budget is a part of the whole answer; half of it is left for what is said.
fn budget(level: ThinkingLevel, output_limit: u64) -> Option<(&'static str, Value)> {
    let wanted = match level {
        ThinkingLevel::High => 24_576,
        ThinkingLevel::Medium => 10_240,
        ThinkingLevel::Low => 4_096,
        _ => LEAST_BUDGET,
    };
    let budget = wanted.min(output_limit / 2).max(LEAST_BUDGET);
    let enabled = json!({"type": "enabled", "budget_tokens": budget});
    (budget < output_limit).then_some(("thinking", enabled))
}

#[cfg(test)]
mod tests {
    use scorel_proto::ThinkingLevel::{Default, High, Low, Medium, Minimal, None as Off};
    use serde_json::{Value, json};

    use super::{ALWAYS, BOUND, TOLD, Thinking, USUAL};

    fn fields(thinking: Thinking, level: scorel_proto::ThinkingLevel) -> Value {
        thinking.fields(level, 64_000, true).into_iter().collect()
    }

    #[test]
    fn models_are_told_apart_by_their_ids() {
        for (model, thinking) in [
            ("claude-3-7-sonnet-20250219", Thinking::Budget),
            ("claude-3-5-haiku-latest", Thinking::Never),
            ("claude-sonnet-4-20250514", Thinking::Budget),
            ("anthropic/claude-haiku-4.5", Thinking::Budget),
            ("claude-opus-4-1@20250805", Thinking::Budget),
            ("kimi-k2.5", Thinking::Budget),
            ("anthropic/claude-opus-4.6", TOLD),
            ("claude-opus-4-8", TOLD),
            ("claude-opus-5", USUAL),
            ("eu.anthropic.claude-sonnet-5", USUAL),
            ("claude-opus-5-5", BOUND),
            ("claude-haiku-5-5", BOUND),
            ("claude-fable-5", ALWAYS),
            ("claude-fable-5.1", BOUND),
            ("claude-mythos-preview", ALWAYS),
            ("claude-whatever-7", BOUND),
        ] {
            assert_eq!(Thinking::of(model), thinking, "{model}");
        }
    }

    #[test]
    fn budgets_grow_with_the_level_and_leave_room_for_the_answer() {
        let budget = |level, limit| {
            let fields = Thinking::Budget.fields(level, limit, false);
            fields
                .first()
                .map(|(_, value)| value["budget_tokens"].as_u64().unwrap())
        };
        let all = [Minimal, Low, Medium, High].map(|level| budget(level, 64_000).unwrap());
        assert_eq!(all, [1_024, 4_096, 10_240, 24_576]);
        assert_eq!(budget(High, 8_192), Some(4_096));
        assert_eq!(budget(High, 1_025), Some(1_024));
        assert_eq!(budget(High, 1_024), None);
    }

    #[test]
    fn a_model_that_cannot_stop_makes_the_least_effort() {
        let disabled = json!({"thinking": {"type": "disabled"}});
        for thinking in [Thinking::Budget, TOLD, USUAL] {
            assert_eq!(fields(thinking, Off)["thinking"], disabled["thinking"]);
        }
        for thinking in [ALWAYS, BOUND] {
            let fields = fields(thinking, Off);
            assert_eq!(fields["thinking"]["type"], "adaptive");
            assert_eq!(fields["output_config"], json!({"effort": "low"}));
        }
    }

    #[test]
    fn effort_is_stated_and_reasoning_shown() {
        let got = fields(TOLD, Medium);
        let expected = json!({"type": "adaptive", "display": "summarized"});
        assert_eq!(got["thinking"], expected);
        assert_eq!(got["output_config"], json!({"effort": "medium"}));
        assert_eq!(fields(TOLD, Minimal)["output_config"]["effort"], "low");
    }

    #[test]
    fn the_default_level_only_shows_what_is_thought_anyway() {
        for thinking in [Thinking::Budget, TOLD] {
            assert_eq!(thinking.fields(Default, 64_000, true), []);
        }
        let got = fields(USUAL, Default);
        assert_eq!(got["thinking"]["display"], "summarized");
        assert_eq!(got["output_config"], Value::Null);
    }

    #[test]
    fn unbound_reasoning_is_dropped_where_the_host_knows_the_switch() {
        let binding = |betas| BOUND.fields(High, 64_000, betas)[0].1["block_binding"].clone();
        assert_eq!(binding(true)["prefix_mismatch_behavior"], "drop_block");
        assert_eq!(binding(false), Value::Null);
    }
}
