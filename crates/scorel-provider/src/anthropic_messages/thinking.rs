//! The parameters that tell each Claude model to reason, by its id.

use ClaudeThinking::{Always, AlwaysBound, Budget, ByDefault, Never, OnRequest};
use scorel_proto::ThinkingLevel;
use serde_json::{Value, json};

use crate::ThinkingLevels;

/// The parameters by which a model's reasoning is controlled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClaudeThinking {
    /// It does not reason.
    Never,
    /// `thinking.budget_tokens`.
    Budget,
    /// `thinking.type: adaptive` with `output_config.effort`: the model decides when to reason. So do all that
    /// follow. It does not reason when the request has no `thinking`.
    OnRequest,
    /// It reasons unless the request has `thinking.type: disabled`.
    ByDefault,
    /// It rejects `thinking.type: disabled`.
    Always,
    /// It also rejects its own reasoning when anything before it has changed, such as the beginning of a
    /// conversation that was summarised.
    AlwaysBound,
}

/// Prefixes of ids; the first match wins. The last entry is for models to come, which are assumed to
/// behave like the newest.
const MODELS: &[(&str, ClaudeThinking)] = &[
    ("claude-opus-4-6", OnRequest),
    ("claude-opus-4-7", OnRequest),
    ("claude-opus-4-8", OnRequest),
    ("claude-sonnet-4-6", OnRequest),
    ("claude-3-7", Budget),
    ("claude-3", Never),
    ("claude-haiku-4", Budget),
    ("claude-opus-4", Budget),
    ("claude-sonnet-4", Budget),
    ("claude-opus-5-", AlwaysBound),
    ("claude-opus-5", ByDefault),
    ("claude-sonnet-5-", AlwaysBound),
    ("claude-sonnet-5", ByDefault),
    ("claude-fable-5-", AlwaysBound),
    ("claude-fable-5", Always),
    ("claude-mythos-5-", AlwaysBound),
    ("claude-mythos", Always),
    ("claude-", AlwaysBound),
];

/// The efforts of a model of which nothing more is known.
const EFFORTS: ThinkingLevels = ThinkingLevels::of(&[
    ThinkingLevel::Low,
    ThinkingLevel::Medium,
    ThinkingLevel::High,
]);

/// The API's minimum for `budget_tokens`.
const LEAST_BUDGET: u64 = 1_024;

impl ClaudeThinking {
    /// The entry for a model id. Gateways decorate ids (`anthropic/claude-opus-4.6`,
    /// `eu.anthropic.claude-…`, `claude-…@20250805`). Models of other makers behind this API (Kimi,
    /// MiniMax) take budgets.
    pub(crate) fn of(model: &str) -> Self {
        let id = model.to_ascii_lowercase().replace(['.', '@'], "-");
        let id = id.find("claude-").map_or("", |start| &id[start..]);
        let mut found = MODELS.iter().filter(|(start, _)| id.starts_with(start));
        found.next().map_or(Self::Budget, |(_, thinking)| *thinking)
    }

    /// The beta feature to request: reasoning between tool calls, which newer models do without
    /// asking, or the switch for reasoning that no longer matches its conversation.
    pub(super) const fn beta(self) -> Option<&'static str> {
        match self {
            Self::Budget => Some("interleaved-thinking-2025-05-14"),
            Self::AlwaysBound => Some("thinking-binding-controls-2026-08-01"),
            Self::Never | Self::OnRequest | Self::ByDefault | Self::Always => None,
        }
    }

    /// The levels of a model of which nothing else is known.
    pub(crate) const fn levels(self) -> ThinkingLevels {
        use ThinkingLevel::{High, Low, Medium, Minimal, None as Off};
        match self {
            Self::Never => ThinkingLevels::of(&[]),
            Self::Budget => ThinkingLevels::of(&[Off, Minimal, Low, Medium, High]),
            Self::OnRequest | Self::ByDefault => EFFORTS.with(Off),
            Self::Always | Self::AlwaysBound => EFFORTS,
        }
    }

    /// The fields of a request. `output_limit` bounds reasoning and text together, in tokens.
    pub(super) fn fields(
        self,
        level: ThinkingLevel,
        output_limit: u64,
        levels: ThinkingLevels,
        betas: bool,
    ) -> Vec<(&'static str, Value)> {
        use ThinkingLevel::{Default, None as Off};
        let adaptive = ("thinking", adaptive(self == Self::AlwaysBound && betas));
        match (self, level) {
            (Self::Never, _) | (Self::Budget | Self::OnRequest, Default) => Vec::new(),
            (Self::Budget | Self::OnRequest | Self::ByDefault, Off) => {
                vec![("thinking", json!({"type": "disabled"}))]
            }
            (Self::Budget, _) => budget(level, output_limit).into_iter().collect(),
            (_, Default) => vec![adaptive],
            _ => {
                let effort = levels.without(Off).nearest(level);
                vec![adaptive, ("output_config", json!({"effort": effort}))]
            }
        }
    }
}

/// `display: summarized` asks for readable reasoning, which newer models omit otherwise.
fn adaptive(drop_unbound: bool) -> Value {
    let mut thinking = json!({"type": "adaptive", "display": "summarized"});
    if drop_unbound {
        // Otherwise, after a change of the system prompt or a summary of the history, the API
        // rejects every request that carries the earlier reasoning: the session could not go on.
        thinking["block_binding"] = json!({"prefix_mismatch_behavior": "drop_block"});
    }
    thinking
}

/// The budget is part of `max_tokens` and must be below it. At least half is left for the text.
fn budget(level: ThinkingLevel, output_limit: u64) -> Option<(&'static str, Value)> {
    let wanted = match level {
        ThinkingLevel::High | ThinkingLevel::Xhigh | ThinkingLevel::Max => 24_576,
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
    use scorel_proto::ThinkingLevel::{
        Default, High, Low, Max, Medium, Minimal, None as Off, Xhigh,
    };
    use serde_json::{Value, json};

    use super::ClaudeThinking::{self, Always, AlwaysBound, ByDefault, OnRequest};
    use crate::ThinkingLevels;

    fn fields(thinking: ClaudeThinking, level: scorel_proto::ThinkingLevel) -> Value {
        thinking
            .fields(level, 64_000, thinking.levels(), true)
            .into_iter()
            .collect()
    }

    #[test]
    fn models_are_told_apart_by_their_ids() {
        for (model, thinking) in [
            ("claude-3-7-sonnet-20250219", ClaudeThinking::Budget),
            ("claude-3-5-haiku-latest", ClaudeThinking::Never),
            ("claude-sonnet-4-20250514", ClaudeThinking::Budget),
            ("anthropic/claude-haiku-4.5", ClaudeThinking::Budget),
            ("claude-opus-4-1@20250805", ClaudeThinking::Budget),
            ("kimi-k2.5", ClaudeThinking::Budget),
            ("anthropic/claude-opus-4.6", OnRequest),
            ("claude-opus-4-8", OnRequest),
            ("claude-opus-5", ByDefault),
            ("eu.anthropic.claude-sonnet-5", ByDefault),
            ("claude-opus-5-5", AlwaysBound),
            ("claude-haiku-5-5", AlwaysBound),
            ("claude-fable-5", Always),
            ("claude-fable-5.1", AlwaysBound),
            ("claude-mythos-preview", Always),
            ("claude-whatever-7", AlwaysBound),
        ] {
            assert_eq!(ClaudeThinking::of(model), thinking, "{model}");
        }
    }

    #[test]
    fn budgets_grow_with_the_level_and_leave_room_for_the_answer() {
        let budget = |level, limit| {
            let fields =
                ClaudeThinking::Budget.fields(level, limit, ClaudeThinking::Budget.levels(), false);
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
        for thinking in [ClaudeThinking::Budget, OnRequest, ByDefault] {
            assert_eq!(fields(thinking, Off)["thinking"], disabled["thinking"]);
        }
        for thinking in [Always, AlwaysBound] {
            let fields = fields(thinking, Off);
            assert_eq!(fields["thinking"]["type"], "adaptive");
            assert_eq!(fields["output_config"], json!({"effort": "low"}));
        }
    }

    #[test]
    fn effort_is_stated_and_reasoning_shown() {
        let got = fields(OnRequest, Medium);
        let expected = json!({"type": "adaptive", "display": "summarized"});
        assert_eq!(got["thinking"], expected);
        assert_eq!(got["output_config"], json!({"effort": "medium"}));
        assert_eq!(fields(OnRequest, Minimal)["output_config"]["effort"], "low");
    }

    #[test]
    fn a_model_gets_only_the_efforts_that_it_has() {
        let effort = |levels: Option<&[scorel_proto::ThinkingLevel]>, level| {
            let levels = levels.map_or(OnRequest.levels(), ThinkingLevels::of);
            let fields: Value = OnRequest
                .fields(level, 64_000, levels, true)
                .into_iter()
                .collect();
            fields["output_config"]["effort"].clone()
        };
        let opus_4_6 = Some([Off, Low, Medium, High, Max].as_slice());
        assert_eq!(effort(opus_4_6, Max), "max");
        assert_eq!(effort(opus_4_6, Minimal), "low");
        assert_eq!(effort(Some(&[Low, High, Xhigh]), Xhigh), "xhigh");
        assert_eq!(
            effort(None, Max),
            "high",
            "not asserted of an unknown model"
        );
    }

    #[test]
    fn the_default_level_only_requests_summaries() {
        for thinking in [ClaudeThinking::Budget, OnRequest] {
            assert_eq!(
                thinking.fields(Default, 64_000, thinking.levels(), true),
                []
            );
        }
        let got = fields(ByDefault, Default);
        assert_eq!(got["thinking"]["display"], "summarized");
        assert_eq!(got["output_config"], Value::Null);
    }

    #[test]
    fn unbound_reasoning_is_dropped_where_the_host_knows_the_switch() {
        let binding = |betas| {
            let fields = AlwaysBound.fields(High, 64_000, AlwaysBound.levels(), betas);
            fields[0].1["block_binding"].clone()
        };
        let anthropic = binding(true);
        assert_eq!(anthropic["prefix_mismatch_behavior"], "drop_block");
        assert_eq!(binding(false), Value::Null);
    }
}
