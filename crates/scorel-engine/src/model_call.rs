use std::collections::VecDeque;

use futures_util::StreamExt;
use scorel_proto::{AssistantMessage, Cost, MessageCancelReason, StopReason, Usage};
use serde_json::Value;

use crate::assembly::{Assembly, Ending};
use crate::stop::{Stop, StopCause};
use crate::{
    EngineEvent, ErrorCategory, ModelRequest, Provider, ProviderError, ProviderEvent,
    ProviderStream, TokenPrice, call_cost,
};

/// One call of the model, from the request to the message.
pub(crate) struct ModelCall {
    stream: ProviderStream,
    assembly: Assembly,
    model: String,
    shown: bool,
    max_bytes: usize,
    price: Option<TokenPrice>,
    /// The end of the call, once `due` is empty.
    end: Option<CallProgress>,
    /// Events to be returned before the stream is read on.
    due: VecDeque<EngineEvent>,
}

/// The next result of a model call.
pub(crate) enum CallProgress {
    /// To be published.
    Event(EngineEvent),
    /// The answer is complete.
    Answered {
        message: AssistantMessage,
        /// True if `message_start` was published.
        announced: bool,
    },
    /// The call was stopped or failed, or had no room for an answer.
    Ended(EarlyEnd),
    /// The turn is to park, and nothing of the call was published.
    Dropped,
}

/// The end of a model call without a whole answer.
pub(crate) struct EarlyEnd {
    pub(crate) cause: EarlyCause,
    /// The end of the message, if `message_start` was published.
    pub(crate) remains: Option<EngineEvent>,
    pub(crate) usage: Option<Usage>,
    pub(crate) cost: Option<Cost>,
}

pub(crate) enum EarlyCause {
    Stopped(StopCause),
    /// The answer exceeded its limit. What came is kept.
    TooLong,
    /// The token limit was reached before any text.
    NoRoom,
    /// Nothing was published, so the call may be retried.
    FailedUnseen(ProviderError),
    Failed(ProviderError),
}

impl ModelCall {
    /// `max_bytes`: where the answer is cut off.
    pub(crate) fn new(provider: &dyn Provider, request: ModelRequest, max_bytes: usize) -> Self {
        Self {
            model: provider.model().name(),
            price: provider.model().price,
            end: None,
            stream: provider.stream(request),
            assembly: Assembly::default(),
            shown: false,
            max_bytes,
            due: VecDeque::new(),
        }
    }

    /// Reads the stream up to the next event to publish, or the end.
    pub(crate) async fn next(&mut self, stop: &Stop) -> CallProgress {
        loop {
            if let Some(event) = self.due.pop_front() {
                return CallProgress::Event(event);
            }
            if let Some(end) = self.end.take() {
                return end;
            }
            if self.assembly.bytes() > self.max_bytes {
                let reason = MessageCancelReason::MaxTokens;
                return self.cut_off(EarlyCause::TooLong, StopReason::MaxTokens, reason);
            }
            let next = tokio::select! {
                biased;
                cause = stop.wait() => return self.stopped(cause),
                () = stop.parking(), if !self.shown => return CallProgress::Dropped,
                next = self.stream.next() => next,
            };
            match next {
                // The endpoint's name of the model would be a second one in every sum.
                Some(Ok(ProviderEvent::Start { .. })) => {}
                Some(Ok(ProviderEvent::Done {
                    stop_reason,
                    usage,
                    charged,
                    provider,
                })) => {
                    let cost = call_cost(self.price, usage, charged);
                    self.end = Some(self.answered(stop_reason, (usage, cost), provider));
                }
                Some(Ok(event)) => self.show(event),
                Some(Err(error)) => self.end = Some(self.failed(error)),
                None => self.end = Some(self.failed(ended_without_an_end())),
            }
        }
    }

    /// `message_start` goes out with the first content, so that a call that fails before can be retried
    /// without a trace.
    fn show(&mut self, event: ProviderEvent) {
        if let Some(event) = self.assembly.add(event) {
            self.announce();
            self.due.push_back(event);
        }
    }

    fn announce(&mut self) {
        if !self.shown {
            self.shown = true;
            self.due.push_back(EngineEvent::MessageStart {
                model: self.model.clone(),
            });
        }
    }

    fn answered(
        &mut self,
        stop_reason: StopReason,
        (usage, cost): (Option<Usage>, Option<Cost>),
        provider: Option<Value>,
    ) -> CallProgress {
        let assembly = std::mem::take(&mut self.assembly);
        if stop_reason == StopReason::MaxTokens && !assembly.has_text() {
            let reason = MessageCancelReason::MaxTokens;
            let cancelled = EngineEvent::MessageCancelled { reason };
            self.charge(usage, cost);
            return CallProgress::Ended(EarlyEnd {
                cause: EarlyCause::NoRoom,
                remains: self.shown.then_some(cancelled),
                usage,
                cost,
            });
        }
        let ending = Ending {
            model: self.model.clone(),
            stop_reason,
            usage,
            cost,
            provider,
        };
        // The last call of such an answer may be incomplete, so none of them runs.
        let cut_off = match stop_reason {
            StopReason::MaxTokens | StopReason::ContentFilter => true,
            StopReason::Refusal => assembly.has_calls(),
            _ => false,
        };
        let message = if cut_off {
            assembly.cut_off(ending)
        } else {
            assembly.finish(ending)
        };
        CallProgress::Answered {
            message,
            announced: self.shown,
        }
    }

    fn stopped(&mut self, cause: StopCause) -> CallProgress {
        let reason = match cause {
            // The wire has no reason of its own for a stopping daemon.
            StopCause::Cancelled | StopCause::Interrupted => MessageCancelReason::UserCancel,
            StopCause::TimeUp => MessageCancelReason::Error,
        };
        self.cut_off(EarlyCause::Stopped(cause), cause.stop_reason(), reason)
    }

    /// Ends the call before its endpoint tells what it used.
    fn cut_off(
        &mut self,
        cause: EarlyCause,
        stop_reason: StopReason,
        reason: MessageCancelReason,
    ) -> CallProgress {
        CallProgress::Ended(EarlyEnd {
            cause,
            remains: self.remains(stop_reason, reason, (None, None)),
            usage: None,
            cost: None,
        })
    }

    fn failed(&mut self, error: ProviderError) -> CallProgress {
        let usage = error.usage;
        let cost = call_cost(self.price, usage, None);
        let reason = MessageCancelReason::Error;
        let remains = self.remains(StopReason::Error, reason, (usage, cost));
        if !matches!(remains, Some(EngineEvent::MessageEnd { .. })) {
            self.charge(usage, cost);
        }
        let cause = if remains.is_none() {
            EarlyCause::FailedUnseen(error)
        } else {
            EarlyCause::Failed(error)
        };
        CallProgress::Ended(EarlyEnd {
            cause,
            remains,
            usage,
            cost,
        })
    }

    /// Has the usage of a call recorded that leaves no message.
    fn charge(&mut self, usage: Option<Usage>, cost: Option<Cost>) {
        if let Some(usage) = usage {
            self.due.push_back(EngineEvent::CallCharged {
                model: self.model.clone(),
                usage,
                cost,
            });
        }
    }

    /// Text is kept as a partial message; a message without text is cancelled.
    fn remains(
        &mut self,
        stop_reason: StopReason,
        reason: MessageCancelReason,
        (usage, cost): (Option<Usage>, Option<Cost>),
    ) -> Option<EngineEvent> {
        if !self.shown {
            return None;
        }
        let assembly = std::mem::take(&mut self.assembly);
        if !assembly.has_text() {
            return Some(EngineEvent::MessageCancelled { reason });
        }
        let ending = Ending {
            model: self.model.clone(),
            stop_reason,
            usage,
            cost,
            provider: None,
        };
        Some(EngineEvent::MessageEnd {
            message: assembly.cut_off(ending),
        })
    }
}

pub(crate) fn ended_without_an_end() -> ProviderError {
    ProviderError {
        category: ErrorCategory::StreamTruncated,
        retryable: true,
        retry_after: None,
        status: None,
        message: "the model's answer ended in the middle".to_owned(),
        hint: None,
        usage: None,
    }
}
