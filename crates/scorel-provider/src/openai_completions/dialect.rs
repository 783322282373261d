//! The differences between hosts of the chat-completions API, as data.

use ThinkingLevel::{High, Low, Medium, Minimal, None as Off, Xhigh};
use scorel_proto::ThinkingLevel;

use crate::ThinkingLevels;
use crate::wire;

pub(super) type ChatEndpoint = wire::ModelEndpoint<ChatDialect>;

/// The parameters that one host accepts and requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChatDialect {
    /// The name of the output limit. OpenAI's reasoning models reject `max_tokens`.
    pub(super) output_limit: &'static str,
    pub(super) thinking: ThinkingSwitch,
    /// The levels that are sent, for models of which nothing else is known.
    pub(crate) levels: ThinkingLevels,
    pub(super) replay: ReasoningReplay,
    /// True if the `content` of an assistant message without text is null, else it is empty.
    pub(super) null_for_no_text: bool,
    pub(super) call_ids: CallIdRule,
    /// True if a user message directly after a tool message is rejected (Mistral).
    pub(super) assistant_after_tool: bool,
    /// True if `tools` is sent even if empty once the history has calls: Claude behind a proxy rejects calls of
    /// tools that are not declared.
    pub(super) empty_tools: bool,
    /// True if `store: false` is sent: OpenAI keeps completions for 30 days otherwise. Other hosts reject the
    /// field.
    pub(super) store_nothing: bool,
    /// True if usage needs `usage.include` in addition to `stream_options` (OpenRouter).
    pub(super) usage_include: bool,
    /// True if `prompt_cache_key` is sent, which routes the requests of one conversation to the server that has
    /// its cache.
    pub(super) cache_key: bool,
    /// True if Claude models of this host cache only what `cache_control` marks.
    pub(super) cache_marks: bool,
    /// True if an output limit that the user did not set is stated. OpenRouter reserves credit for the whole
    /// stated limit.
    pub(crate) states_known_limit: bool,
    /// The number of stop sequences that are accepted. More are cut off.
    pub(super) most_stops: usize,
    /// True if reasoning models reject stop sequences.
    pub(super) no_stop_with_reasoning: bool,
}

/// The parameter that controls reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThinkingSwitch {
    /// `reasoning_effort`.
    Effort,
    /// `thinking.type`, with `reasoning_effort` (DeepSeek).
    TypeAndEffort,
    /// `thinking.type` for models with on and off, `reasoning_effort` for those with degrees
    /// (Moonshot).
    TypeOrEffort,
    /// `thinking.type` with `clear_thinking: false`, which keeps the reasoning of earlier turns, and
    /// `reasoning_effort` for models with degrees (z.ai).
    KeptType,
    /// `enable_thinking` (DashScope).
    EnableThinking,
    /// `reasoning.effort` or `reasoning.enabled` (OpenRouter).
    Object,
    /// `chat_template_kwargs.enable_thinking` (llama.cpp, vLLM).
    Template,
}

/// The reasoning of earlier replies that is sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReasoningReplay {
    /// All that came from the same model, in the field that it came in.
    AsReceived,
    /// `reasoning_content` on every message with tool calls, even if empty, and nowhere else.
    /// DeepSeek answers its absence with 400 ("must be passed back") and ignores it elsewhere.
    RequiredWithCalls,
}

/// The tool-call ids that are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallIdRule {
    /// At most 40 bytes (OpenAI).
    Short,
    /// Exactly nine letters and digits (Mistral).
    Nine,
}

impl ChatDialect {
    /// The parameters that unknown compatible servers are assumed to accept.
    pub(crate) const COMPATIBLE: Self = Self {
        output_limit: "max_tokens",
        thinking: ThinkingSwitch::Effort,
        levels: ThinkingLevels::of(&[Low, Medium, High]),
        replay: ReasoningReplay::AsReceived,
        null_for_no_text: true,
        call_ids: CallIdRule::Short,
        assistant_after_tool: false,
        empty_tools: false,
        store_nothing: false,
        usage_include: false,
        cache_key: false,
        cache_marks: false,
        states_known_limit: true,
        most_stops: 4,
        no_stop_with_reasoning: false,
    };
    pub(crate) const OPENAI: Self = Self {
        output_limit: "max_completion_tokens",
        store_nothing: true,
        cache_key: true,
        no_stop_with_reasoning: true,
        ..Self::COMPATIBLE
    };
    pub(crate) const AZURE: Self = Self {
        store_nothing: false,
        cache_key: false,
        ..Self::OPENAI
    };
    /// Serves models of several makers, Claude among them.
    pub(crate) const COPILOT: Self = Self {
        empty_tools: true,
        ..Self::COMPATIBLE
    };
    pub(crate) const DEEPSEEK: Self = Self {
        thinking: ThinkingSwitch::TypeAndEffort,
        levels: ThinkingLevels::of(&[Off, Low, High]),
        replay: ReasoningReplay::RequiredWithCalls,
        most_stops: 16,
        ..Self::COMPATIBLE
    };
    pub(crate) const OPENROUTER: Self = Self {
        thinking: ThinkingSwitch::Object,
        levels: ThinkingLevels::of(&[Off, Minimal, Low, Medium, High, Xhigh]),
        states_known_limit: false,
        empty_tools: true,
        usage_include: true,
        cache_marks: true,
        ..Self::COMPATIBLE
    };
    pub(crate) const OLLAMA: Self = Self {
        levels: ThinkingLevels::of(&[Off, Low, Medium, High]),
        ..Self::COMPATIBLE
    };
    pub(crate) const TEMPLATE: Self = Self {
        thinking: ThinkingSwitch::Template,
        levels: ON_OR_OFF,
        ..Self::COMPATIBLE
    };
    pub(crate) const MISTRAL: Self = Self {
        levels: ThinkingLevels::of(&[Off, High]),
        null_for_no_text: false,
        call_ids: CallIdRule::Nine,
        assistant_after_tool: true,
        cache_key: true,
        ..Self::COMPATIBLE
    };
    pub(crate) const XAI: Self = Self {
        levels: ThinkingLevels::of(&[Low, High]),
        // Reasoning models reject stop sequences, and most of xAI's models reason, also those
        // without a parameter for it.
        most_stops: 0,
        ..Self::COMPATIBLE
    };
    pub(crate) const MOONSHOT: Self = Self {
        thinking: ThinkingSwitch::TypeOrEffort,
        levels: ON_OR_OFF,
        cache_key: true,
        ..Self::COMPATIBLE
    };
    pub(crate) const ZHIPU: Self = Self {
        thinking: ThinkingSwitch::KeptType,
        levels: ON_OR_OFF,
        most_stops: 1,
        ..Self::COMPATIBLE
    };
    pub(crate) const QWEN: Self = Self {
        thinking: ThinkingSwitch::EnableThinking,
        levels: ON_OR_OFF,
        ..Self::COMPATIBLE
    };
}

/// The levels that a switch without degrees can state.
const ON_OR_OFF: ThinkingLevels = ThinkingLevels::of(&[Off, High]);
