//! How endpoints of one wire differ, as data.

use scorel_proto::ThinkingLevel;

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
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputLimit {
    MaxTokens,
    MaxCompletionTokens,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThinkingSwitch {
    /// There is none.
    Absent,
    /// `reasoning_effort`, with these levels from least to most.
    Effort(&'static [ThinkingLevel]),
    /// `thinking.type`, and `reasoning_effort` low or high.
    Enabled,
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
    };
    pub(crate) const OPENAI: Self = Self {
        output_limit: OutputLimit::MaxCompletionTokens,
        thinking: ThinkingSwitch::Effort(&[Off, Minimal, Low, Medium, High]),
        store_nothing: true,
        ..Self::COMPATIBLE
    };
    pub(crate) const DEEPSEEK: Self = Self {
        thinking: ThinkingSwitch::Enabled,
        replay: Replay::RequiredWithCalls,
        ..Self::COMPATIBLE
    };
    pub(crate) const OPENROUTER: Self = Self {
        thinking: ThinkingSwitch::Object,
        empty_tools: true,
        ask_for_costs: true,
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
        thinking: ThinkingSwitch::Absent,
        no_text: NoText::Empty,
        call_ids: CallIds::Nine,
        assistant_after_tool: true,
        ..Self::COMPATIBLE
    };
    pub(crate) const XAI: Self = Self {
        thinking: ThinkingSwitch::Effort(&[Low, High]),
        ..Self::COMPATIBLE
    };
    pub(crate) const MOONSHOT: Self = Self {
        thinking: ThinkingSwitch::Absent,
        ..Self::COMPATIBLE
    };
}
