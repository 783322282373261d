//! Questions to hooks at the points of a turn, and their answers.

use std::sync::Arc;

use scorel_proto::{CompactionTrigger, ContextOp, EventId, HookPoint, Role, TurnId};
use serde::Serialize;

/// A point that a turn has come to, as its hooks see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// The point.
    pub occasion: Occasion,
    /// The turn; `None` for a compaction that a user asked for.
    pub turn_id: Option<TurnId>,
    /// 1; 2 if another daemon has shown it before, and something was recorded of what hooks answered then.
    pub attempt: u32,
    /// The newest of the messages that no request has had, oldest first; at the end of a turn its last
    /// answer.
    pub messages: Arc<[NewMessage]>,
    /// The number of others, which had no room here.
    pub left_out: usize,
}

/// A point of a turn, with what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Occasion {
    /// The conversation begins, or does so again, with the model call that comes next.
    Begin {
        /// The cause.
        source: SessionSource,
    },
    /// The turn's first model call comes next.
    Start {
        /// The session has had no turn before.
        first_turn: bool,
    },
    /// Another model call comes next.
    Call,
    /// Older messages are about to be summarised, or results to be shortened.
    Trim {
        /// The cause.
        trigger: CompactionTrigger,
        /// The user's addition to the request for a summary.
        instructions: Option<String>,
    },
    /// The turn is at its end.
    End {
        /// The times that hooks have made it go on here.
        went_on: u32,
        /// The work of the session that goes on besides.
        background: Arc<[BackgroundTask]>,
    },
    /// The request is sent next.
    Send,
}

impl Occasion {
    /// The point without what belongs to it.
    pub const fn point(&self) -> HookPoint {
        match self {
            // Behind a summary, it may be in the midst of a turn.
            Self::Begin {
                source: SessionSource::Compact,
            }
            | Self::Call => HookPoint::Call,
            Self::Begin { .. } | Self::Start { .. } => HookPoint::Start,
            Self::Trim { .. } => HookPoint::Trim,
            Self::End { .. } => HookPoint::End,
            Self::Send => HookPoint::Send,
        }
    }
}

/// The way in which a conversation begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionSource {
    /// It is the session's first turn.
    Startup,
    /// It is the first turn since the session was loaded.
    Resume,
    /// The turn has nothing before it, since the session was rewound to its beginning.
    Clear,
    /// A summary has taken the place of older messages.
    Compact,
}

/// Work of a session that goes on beside its turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackgroundTask {
    /// Its id, by which the model knows it.
    pub id: String,
    /// The task in a few words: the first line of a command, the title of an agent's task.
    pub title: String,
    /// The agent that works on it; `None` for a command.
    pub agent_type: Option<String>,
}

/// A message as the model reads it, for hooks: its text, without pictures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewMessage {
    /// The event, by which edits name it.
    pub event_id: EventId,
    /// Its author.
    pub role: Role,
    /// Its text.
    pub text: String,
    /// The end of the text is missing: it had no room.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
    /// The call that it is the result of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The tool that it is the result of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
}

/// The answer of a hook at a point of a turn. Answers that the point does not have are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MomentAnswer {
    /// Becomes a message to the model, in the hook's name. Not before a request is sent.
    pub inject: Option<String>,
    /// Change what the model reads of messages: at `start`, `call` and `send` of those that no request has
    /// had, at `trim` of all behind the last summary. One that names another message makes all of them
    /// void.
    pub edits: Vec<ContextOp>,
    /// The fate of the turn.
    pub verdict: MomentVerdict,
}

/// A hook's wish for the turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum MomentVerdict {
    /// The turn takes its course.
    #[default]
    Pass,
    /// At `start`: the turn ends with the error `hook_denied`, and no model reads the new messages. The text says why.
    Deny(String),
    /// At `end`: the turn goes on, and the model reads the text.
    GoOn(String),
    /// The turn ends as completed. The text says why.
    Stop(String),
    /// The turn ends with the error `hook_failed`: the hook has failed, and the turn must not do without it.
    Fail(String),
}
