use std::time::Duration;

use scorel_proto::{AssistantMessage, Context, OutcomeReason, StopReason, TurnError, Usage};

use crate::limits::limit;
use crate::model_call::ModelCall;
use crate::tool_run::ToolRun;

/// Where a turn is between two steps.
pub(super) enum State {
    NeedContext,
    /// The context of the next call is there.
    Ready(Context),
    /// The call is announced, or is to be made again.
    Due(Context),
    Calling {
        call: Box<ModelCall>,
        messages: Context,
    },
    /// The last message of the call is out; the call ends with `then`.
    CallEnded {
        stop_reason: Option<StopReason>,
        usage: Option<Usage>,
        then: Box<State>,
    },
    /// A failed call is made again after a delay; a long one is announced.
    Retrying {
        delay: Duration,
        announced: bool,
        messages: Context,
    },
    Answered(AssistantMessage),
    Tools {
        run: Box<ToolRun>,
        message_end: CallEnd,
        then: After,
    },
    Finished(OutcomeReason, Option<TurnError>),
}

/// What a model call's `TurnEnd` says.
#[derive(Clone, Copy)]
pub(super) struct CallEnd {
    pub(super) stop_reason: StopReason,
    pub(super) usage: Option<Usage>,
}

/// What follows the tools.
pub(super) enum After {
    NextCall,
    Finish(OutcomeReason, Option<TurnError>),
}

impl State {
    /// What follows an answer that asks for no tools.
    pub(super) fn after_last_answer(stop_reason: StopReason) -> State {
        let (reason, error) = match stop_reason {
            StopReason::Pause => return Self::NeedContext,
            StopReason::MaxTokens => {
                let text = "the model's answer reached its limit of output tokens";
                (OutcomeReason::Limit, Some(limit("max_tokens", text)))
            }
            StopReason::Refusal => (
                OutcomeReason::Error,
                Some(limit("refusal", "the model refused to answer")),
            ),
            StopReason::ContentFilter => {
                let text = "the provider's content filter stopped the answer";
                (OutcomeReason::Error, Some(limit("content_filter", text)))
            }
            StopReason::EndTurn
            | StopReason::ToolUse
            | StopReason::Error
            | StopReason::Cancelled
            | StopReason::Interrupted => (OutcomeReason::Completed, None),
        };
        Self::Finished(reason, error)
    }
}
