//! How endpoints of one wire differ, as data.

use scorel_proto::ThinkingLevel;

use crate::builtin::Levels;

/// The ways of one host on the chat-completions wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// The field that bounds the answer.
    pub(crate) output_limit: OutputLimit,
    /// How the model is told how much to think.
    pub(crate) thinking: ThinkingSwitch,
    /// Which reasoning goes back.
    pub(crate) replay: Replay,
    /// What stands for the text of an assistant message that has none.
    pub(crate) no_text: NoText,
    /// Which call ids are accepted.
    pub(crate) call_ids: CallIds,
    /// Whether a user message must not follow a tool's directly.
    pub(crate) assistant_after_tool: bool,
    /// Whether the list of tools is sent even if it is empty, once the history has calls.
    pub(crate) empty_tools: bool,
    /// Whether `store: false` is sent, so that the host keeps nothing.
    pub(crate) store_nothing: bool,
    /// Whether usage has to be asked for with `usage.include`, too.
    pub(crate) ask_for_costs: bool,
    /// Whether `prompt_cache_key` is sent, so that a conversation finds its own cache.
    pub(crate) cache_key: bool,
    /// Whether the models of one maker cache only what is marked.
    pub(crate) cache_marks: bool,
    /// How many texts to stop at are taken.
    pub(crate) stop: StopLimit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputLimit {
    MaxTokens,
    MaxCompletionTokens,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThinkingSwitch {
    /// `reasoning_effort`, with these levels from least to most.
    Effort(&'static [ThinkingLevel]),
    /// `thinking.type`, and `reasoning_effort` low or high.
    Enabled,
    /// `thinking.type` alone.
    Toggle,
    /// `thinking.type`, with reasoning of earlier turns kept.
    KeptToggle,
    /// `enable_thinking`.
    EnableThinking,
    /// `reasoning.effort` or `reasoning.enabled`.
    Object,
    /// `chat_template_kwargs.enable_thinking`.
    Template,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Replay {
    /// All that came from the same model goes back as it came.
    AsReceived,
    /// `reasoning_content` stands on every message with tool calls, even if it is empty, and
    /// nowhere else.
    RequiredWithCalls,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoText {
    Null,
    Empty,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallIds {
    /// At most 40 bytes.
    Short,
    /// Exactly nine letters and digits.
    Nine,
}

/// How many texts to stop at go into a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopLimit {
    /// That many, whatever the model.
    UpTo(usize),
    /// That many, but none to a model that thinks: it refuses them.
    UnlessThinking(usize),
}

use ThinkingLevel::{High, Low, Medium, Minimal, None as Off};

impl Dialect {
    /// What endpoints that call themselves compatible are assumed to accept.
    pub(crate) const COMPATIBLE: Self = Self {
        output_limit: OutputLimit::MaxTokens,
        thinking: ThinkingSwitch::Effort(&[Low, Medium, High]),
        replay: Replay::AsReceived,
        no_text: NoText::Null,
        call_ids: CallIds::Short,
        assistant_after_tool: false,
        empty_tools: false,
        store_nothing: false,
        ask_for_costs: false,
        cache_key: false,
        cache_marks: false,
        stop: StopLimit::UpTo(4),
    };
    pub(crate) const OPENAI: Self = Self {
        output_limit: OutputLimit::MaxCompletionTokens,
        thinking: ThinkingSwitch::Effort(&[Off, Minimal, Low, Medium, High]),
        store_nothing: true,
        cache_key: true,
        stop: StopLimit::UnlessThinking(4),
        ..Self::COMPATIBLE
    };
    pub(crate) const AZURE: Self = Self {
        store_nothing: false,
        cache_key: false,
        ..Self::OPENAI
    };
    /// A host of several makers' models.
    pub(crate) const COPILOT: Self = Self {
        empty_tools: true,
        ..Self::COMPATIBLE
    };
    pub(crate) const DEEPSEEK: Self = Self {
        thinking: ThinkingSwitch::Enabled,
        replay: Replay::RequiredWithCalls,
        stop: StopLimit::UpTo(16),
        ..Self::COMPATIBLE
    };
    pub(crate) const OPENROUTER: Self = Self {
        thinking: ThinkingSwitch::Object,
        empty_tools: true,
        ask_for_costs: true,
        cache_marks: true,
        ..Self::COMPATIBLE
    };
    pub(crate) const OLLAMA: Self = Self {
        thinking: ThinkingSwitch::Effort(&[Off, Low, Medium, High]),
        ..Self::COMPATIBLE
    };
    pub(crate) const TEMPLATE: Self = Self {
        thinking: ThinkingSwitch::Template,
        ..Self::COMPATIBLE
    };
    pub(crate) const MISTRAL: Self = Self {
        thinking: ThinkingSwitch::Effort(&[Off, High]),
        no_text: NoText::Empty,
        call_ids: CallIds::Nine,
        assistant_after_tool: true,
        cache_key: true,
        ..Self::COMPATIBLE
    };
    pub(crate) const XAI: Self = Self {
        thinking: ThinkingSwitch::Effort(&[Low, High]),
        // Most of its models think, also those that cannot be told how much.
        stop: StopLimit::UpTo(0),
        ..Self::COMPATIBLE
    };
    pub(crate) const MOONSHOT: Self = Self {
        thinking: ThinkingSwitch::Toggle,
        cache_key: true,
        ..Self::COMPATIBLE
    };
    pub(crate) const ZHIPU: Self = Self {
        thinking: ThinkingSwitch::KeptToggle,
        stop: StopLimit::UpTo(1),
        ..Self::COMPATIBLE
    };
    pub(crate) const QWEN: Self = Self {
        thinking: ThinkingSwitch::EnableThinking,
        ..Self::COMPATIBLE
    };

    /// The same for a model that knows these levels only, where levels can be named.
    pub(crate) const fn with_levels(self, levels: Levels) -> Self {
        match (self.thinking, levels) {
            (ThinkingSwitch::Effort(_), Some(levels)) => Self {
                thinking: ThinkingSwitch::Effort(levels),
                ..self
            },
            _ => self,
        }
    }
}
