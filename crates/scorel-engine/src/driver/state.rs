use std::time::Duration;

use scorel_proto::{AssistantMessage, Context, OutcomeReason, StopReason, TurnError, Usage};

use crate::limit_error::limit;
use crate::model_call::ModelCall;
use crate::tool_run::ToolRun;

/// The state of a turn between two steps.
pub(super) enum TurnState {
    NeedContext,
    /// A failed call is due again, with the context as it is by now: messages may have been added
    /// during the delay.
    NeedContextAgain,
    /// The limits allow the next model call.
    Affordable,
    /// The context of the next model call was provided.
    Ready(Context),
    /// The model call was announced, or is due again.
    Due(Context),
    Calling(Box<ModelCall>),
    /// The message of the call was published; its `turn_end` is due, then `then`.
    CallEnded {
        end: CallEnd,
        then: Box<TurnState>,
    },
    /// A failed call is retried after a delay.
    Retrying {
        delay: Duration,
    },
    /// The wait is announced next.
    Suspending {
        delay: Duration,
        reason: String,
    },
    Suspended,
    /// The turn is left to the next daemon.
    Parked,
    /// The endpoint refused the call as too large; a smaller context is due.
    NeedRoom(TurnError),
    /// The endpoint refused the descriptions of these tools.
    NeedTools(Vec<String>, TurnError),
    Answered(AssistantMessage),
    /// The calls of an answer run; the `turn_end` of the answer is due after them, then `then`.
    Tools {
        run: Box<ToolRun>,
        end: CallEnd,
        then: Box<TurnState>,
    },
    Finished(OutcomeReason, Option<TurnError>),
}

/// The content of a model call's `turn_end`.
#[derive(Clone, Copy)]
pub(super) struct CallEnd {
    pub(super) stop_reason: StopReason,
    pub(super) usage: Option<Usage>,
}

impl TurnState {
    /// The state after an answer without tool calls.
    pub(super) fn after_last_answer(stop_reason: StopReason) -> TurnState {
        let (reason, code, text) = match stop_reason {
            StopReason::Pause => return Self::NeedContext,
            StopReason::MaxTokens => {
                let text = "the model's answer reached its limit of output tokens";
                (OutcomeReason::Limit, "max_tokens", text)
            }
            StopReason::Refusal => {
                let text = "the model refused to answer";
                (OutcomeReason::Error, "refusal", text)
            }
            StopReason::ContentFilter => {
                let text = "the provider's content filter stopped the answer";
                (OutcomeReason::Error, "content_filter", text)
            }
            StopReason::EndTurn
            | StopReason::ToolUse
            | StopReason::Error
            | StopReason::Cancelled
            | StopReason::Interrupted => return Self::Finished(OutcomeReason::Completed, None),
        };
        Self::Finished(reason, Some(limit(code, text)))
    }
}
