use std::fmt;
use std::str::FromStr;

use scorel_proto::HookPoint;
use serde::Deserialize;

use super::ContextPoint;
use crate::Problem;

/// When a hook runs: one of our four words, or an event of Claude Code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
pub enum HookEvent {
    #[serde(rename = "beforeToolCall")]
    BeforeToolCall,
    #[serde(rename = "afterToolCall")]
    AfterToolCall,
    #[serde(rename = "transformContext")]
    TransformContext,
    #[serde(rename = "convertToLlm")]
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

impl HookStage {
    /// True if its hooks see calls, and their matchers tools.
    pub const fn is_of_calls(self) -> bool {
        matches!(self, Self::Before | Self::After | Self::Question)
    }
}

impl HookEvent {
    /// Ours, which an extension's program answers too.
    pub const NATIVE: [Self; 4] = [
        Self::BeforeToolCall,
        Self::AfterToolCall,
        Self::TransformContext,
        Self::ConvertToLlm,
    ];

    /// All events with their words, ours first.
    const WORDS: [(Self, &'static str); 16] = [
        (Self::BeforeToolCall, "beforeToolCall"),
        (Self::AfterToolCall, "afterToolCall"),
        (Self::TransformContext, "transformContext"),
        (Self::ConvertToLlm, "convertToLlm"),
        (Self::PreToolUse, "PreToolUse"),
        (Self::PostToolUse, "PostToolUse"),
        (Self::PostToolUseFailure, "PostToolUseFailure"),
        (Self::PermissionRequest, "PermissionRequest"),
        (Self::UserPromptSubmit, "UserPromptSubmit"),
        (Self::SessionStart, "SessionStart"),
        (Self::PreCompact, "PreCompact"),
        (Self::Stop, "Stop"),
        (Self::SessionEnd, "SessionEnd"),
        (Self::Notification, "Notification"),
        (Self::SubagentStart, "SubagentStart"),
        (Self::SubagentStop, "SubagentStop"),
    ];

    /// The event as it is written.
    pub fn word(self) -> &'static str {
        let mut words = Self::WORDS.into_iter();
        words
            .find(|(event, _)| *event == self)
            .map_or("", |(_, word)| word)
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
            | Self::SubagentStart
            | Self::PreCompact
            | Self::Stop => HookStage::Context,
            Self::ConvertToLlm => HookStage::Convert,
            Self::SessionEnd | Self::Notification | Self::SubagentStop => HookStage::Listener,
        }
    }

    /// Returns whether its hooks that name these points are asked at a point.
    pub fn is_asked_at(self, points: &[ContextPoint], point: HookPoint) -> bool {
        match ContextPoint::of(point) {
            Some(_) if self.is_of_beginnings() => false,
            Some(own) => self.stage() == HookStage::Context && points.contains(&own),
            None => self.stage() == HookStage::Convert,
        }
    }

    /// Returns whether its hooks are asked when a conversation begins, which is not a point.
    pub const fn is_of_beginnings(self) -> bool {
        matches!(self, Self::SessionStart | Self::SubagentStart)
    }

    /// The one point of an event of Claude Code. Entries of `transformContext` name theirs.
    pub const fn point(self) -> Option<ContextPoint> {
        match self {
            Self::UserPromptSubmit | Self::SessionStart | Self::SubagentStart => {
                Some(ContextPoint::Start)
            }
            Self::PreCompact => Some(ContextPoint::Trim),
            Self::Stop => Some(ContextPoint::End),
            _ => None,
        }
    }

    /// The event in the words of Claude Code. `transformContext` is several there, and `convertToLlm` is none.
    pub fn their_word(self) -> &'static str {
        match self {
            Self::BeforeToolCall => "PreToolUse",
            Self::AfterToolCall => "PostToolUse",
            other => other.word(),
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
}

impl fmt::Display for HookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for HookEvent {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let known = Self::WORDS.into_iter().find(|(_, word)| *word == text);
        known.map(|(event, _)| event).ok_or_else(|| {
            let problem = Problem::of("event", format!("no event `{text}`"));
            problem.suggest(text, Self::WORDS.map(|(_, word)| word))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_has_its_word_and_a_typo_a_suggestion() {
        for (event, word) in HookEvent::WORDS {
            assert_eq!(word.parse::<HookEvent>(), Ok(event));
            let written = serde_json::Value::from(word);
            assert_eq!(serde_json::from_value::<HookEvent>(written).unwrap(), event);
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
