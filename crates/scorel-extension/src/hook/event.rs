use std::fmt;
use std::str::FromStr;

use serde::de::{Deserialize, Deserializer, Error};

use super::ContextPoint;
use crate::Problem;

/// When a hook runs: one of our four words, or an event of Claude Code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookEvent {
    BeforeToolCall,
    AfterToolCall,
    TransformContext,
    ConvertToLlm,
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    PermissionRequest,
    UserPromptSubmit,
    SessionStart,
    PreCompact,
    Stop,
    SessionEnd,
    Notification,
    SubagentStart,
    SubagentStop,
}

/// The step of a turn at which an event's hooks are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookStage {
    /// Before a call is judged.
    Before,
    /// After a call has run, before its result is recorded.
    After,
    /// A call would be asked about.
    Question,
    /// At a [`ContextPoint`].
    Context,
    /// In front of a request, after all else.
    Convert,
    /// Nothing waits for the hook.
    Listener,
}

/// The word with which a matcher is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchedWord {
    /// A tool's name.
    Tool,
    /// The way in which a session began: `startup`, `resume`, `clear`, `compact`.
    Source,
    /// `manual` or `auto`.
    Trigger,
    /// The type of a notification.
    Notification,
    /// The type of an agent.
    Agent,
    /// None: every matcher matches.
    None,
}

impl HookEvent {
    /// All events, ours first.
    pub const ALL: [Self; 16] = [
        Self::BeforeToolCall,
        Self::AfterToolCall,
        Self::TransformContext,
        Self::ConvertToLlm,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::PermissionRequest,
        Self::UserPromptSubmit,
        Self::SessionStart,
        Self::PreCompact,
        Self::Stop,
        Self::SessionEnd,
        Self::Notification,
        Self::SubagentStart,
        Self::SubagentStop,
    ];

    const WORDS: [&'static str; 16] = [
        "beforeToolCall",
        "afterToolCall",
        "transformContext",
        "convertToLlm",
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PermissionRequest",
        "UserPromptSubmit",
        "SessionStart",
        "PreCompact",
        "Stop",
        "SessionEnd",
        "Notification",
        "SubagentStart",
        "SubagentStop",
    ];

    /// The event as it is written.
    pub fn word(self) -> &'static str {
        let place = Self::ALL.iter().position(|event| *event == self);
        place.map_or("", |place| Self::WORDS[place])
    }

    /// The step at which its hooks are asked.
    pub const fn stage(self) -> HookStage {
        match self {
            Self::BeforeToolCall | Self::PreToolUse => HookStage::Before,
            Self::AfterToolCall | Self::PostToolUse | Self::PostToolUseFailure => HookStage::After,
            Self::PermissionRequest => HookStage::Question,
            Self::TransformContext
            | Self::UserPromptSubmit
            | Self::SessionStart
            | Self::PreCompact
            | Self::Stop => HookStage::Context,
            Self::ConvertToLlm => HookStage::Convert,
            Self::SessionEnd | Self::Notification | Self::SubagentStart | Self::SubagentStop => {
                HookStage::Listener
            }
        }
    }

    /// The one point of an event of Claude Code. Entries of `transformContext` name theirs.
    pub const fn point(self) -> Option<ContextPoint> {
        match self {
            Self::UserPromptSubmit | Self::SessionStart => Some(ContextPoint::Start),
            Self::PreCompact => Some(ContextPoint::Trim),
            Self::Stop => Some(ContextPoint::End),
            _ => None,
        }
    }

    /// The event in the words of Claude Code. `transformContext` is several there, and `convertToLlm` is none.
    pub const fn their_word(self) -> &'static str {
        match self {
            Self::BeforeToolCall | Self::PreToolUse => "PreToolUse",
            Self::AfterToolCall | Self::PostToolUse => "PostToolUse",
            Self::TransformContext => "transformContext",
            Self::ConvertToLlm => "convertToLlm",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::PermissionRequest => "PermissionRequest",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::SessionStart => "SessionStart",
            Self::PreCompact => "PreCompact",
            Self::Stop => "Stop",
            Self::SessionEnd => "SessionEnd",
            Self::Notification => "Notification",
            Self::SubagentStart => "SubagentStart",
            Self::SubagentStop => "SubagentStop",
        }
    }

    /// Returns whether an answer about an event of this name is one about this event.
    pub fn is_also(self, name: &str) -> bool {
        let other = name.parse::<Self>().ok();
        name == self.their_word()
            || other == Some(self)
            || (self == Self::TransformContext
                && other.is_some_and(|it| it.stage() == HookStage::Context))
    }

    /// The word with which the matchers of its hooks are compared.
    pub const fn matched(self) -> MatchedWord {
        match self {
            Self::SessionStart => MatchedWord::Source,
            Self::PreCompact => MatchedWord::Trigger,
            Self::Notification => MatchedWord::Notification,
            Self::SubagentStart | Self::SubagentStop => MatchedWord::Agent,
            _ => match self.stage() {
                HookStage::Before | HookStage::After | HookStage::Question => MatchedWord::Tool,
                _ => MatchedWord::None,
            },
        }
    }
}

impl fmt::Display for HookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for HookEvent {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let known = Self::ALL.into_iter().find(|event| event.word() == text);
        known.ok_or_else(|| {
            Problem::of("event", format!("no event `{text}`")).suggest(text, Self::WORDS)
        })
    }
}

impl<'de> Deserialize<'de> for HookEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse()
            .map_err(|_| D::Error::unknown_variant(&text, &Self::WORDS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_has_its_word_and_a_typo_a_suggestion() {
        for event in HookEvent::ALL {
            assert_eq!(event.word().parse::<HookEvent>(), Ok(event));
        }
        for (typo, meant) in [
            ("PreToolUes", "PreToolUse"),
            ("pre_tool_use", "PreToolUse"),
            ("beforeTool", "beforeToolCall"),
        ] {
            let problem = typo.parse::<HookEvent>().unwrap_err();
            assert_eq!(problem.suggestion.as_deref(), Some(meant), "{problem}");
        }
    }
}
