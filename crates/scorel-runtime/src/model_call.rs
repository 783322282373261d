use std::collections::VecDeque;

use futures_util::StreamExt;
use scorel_proto::{AssistantMessage, MessageCancelReason, StopReason, Usage};
use serde_json::Value;

use crate::assembly::{Assembly, Ending};
use crate::stop::{Stop, StopCause};
use crate::{
    ErrorCategory, ModelRequest, Provider, ProviderError, ProviderEvent, ProviderStream,
    RawRuntimeEvent,
};

/// One call of the model, from the request to its message.
pub(crate) struct ModelCall {
    stream: ProviderStream,
    assembly: Assembly,
    model: String,
    shown: bool,
    /// Events that are due before the stream is read on.
    due: VecDeque<RawRuntimeEvent>,
}

/// What a model call did next.
pub(crate) enum Progress {
    /// Something to show.
    Event(RawRuntimeEvent),
    /// The answer is complete.
    Answered {
        message: AssistantMessage,
        /// Whether its beginning was told.
        announced: bool,
    },
    /// The answer had no room for any text.
    NoRoom {
        usage: Option<Usage>,
        /// What is to be told about the message, if one had begun.
        taken_back: Option<RawRuntimeEvent>,
    },
    /// The call ended early; there may be a message with the text so far.
    Ended(Early),
}

/// How a model call ended early.
pub(crate) struct Early {
    pub(crate) cause: EarlyCause,
    /// What is to be told about the message, if one had begun.
    pub(crate) remains: Option<RawRuntimeEvent>,
    pub(crate) usage: Option<Usage>,
}

/// Why a model call ended early.
pub(crate) enum EarlyCause {
    Stopped(StopCause),
    /// Nothing was shown, so the call may be made again.
    FailedUnseen(ProviderError),
    Failed(ProviderError),
}

impl ModelCall {
    pub(crate) fn new(provider: &dyn Provider, request: ModelRequest) -> Self {
        Self {
            model: provider.model().id.clone(),
            stream: provider.stream(request),
            assembly: Assembly::default(),
            shown: false,
            due: VecDeque::new(),
        }
    }

    /// Reads the stream up to the next thing that matters.
    pub(crate) async fn next(&mut self, stop: &Stop) -> Progress {
        loop {
            if let Some(event) = self.due.pop_front() {
                return Progress::Event(event);
            }
            let next = tokio::select! {
                biased;
                cause = stop.wait() => return self.stopped(cause),
                next = self.stream.next() => next,
            };
            match next {
                Some(Ok(ProviderEvent::Start { model })) => {
                    self.model = model.unwrap_or_else(|| std::mem::take(&mut self.model));
                }
                Some(Ok(ProviderEvent::Done {
                    stop_reason,
                    usage,
                    provider,
                })) => {
                    return self.answered(stop_reason, usage, provider);
                }
                Some(Ok(event)) => self.show(event),
                Some(Err(error)) => return self.failed(error),
                None => return self.failed(ended_without_an_end()),
            }
        }
    }

    /// The message is announced with its first content, so that a call that fails before has
    /// nothing to take back.
    fn show(&mut self, event: ProviderEvent) {
        if let Some(event) = self.assembly.add(event) {
            self.announce();
            self.due.push_back(event);
        }
    }

    fn announce(&mut self) {
        if !self.shown {
            self.shown = true;
            self.due.push_back(RawRuntimeEvent::MessageStart {
                model: self.model.clone(),
            });
        }
    }

    fn answered(
        &mut self,
        stop_reason: StopReason,
        usage: Option<Usage>,
        provider: Option<Value>,
    ) -> Progress {
        let assembly = std::mem::take(&mut self.assembly);
        if stop_reason == StopReason::MaxTokens && !assembly.has_text() {
            let reason = MessageCancelReason::MaxTokens;
            let cancelled = RawRuntimeEvent::MessageCancelled { reason };
            let taken_back = self.shown.then_some(cancelled);
            return Progress::NoRoom { usage, taken_back };
        }
        let ending = Ending {
            model: self.model.clone(),
            stop_reason,
            usage,
            provider,
        };
        // The last call of such an answer may lack its end: none of them is run.
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
        Progress::Answered {
            message,
            announced: self.shown,
        }
    }

    fn stopped(&mut self, cause: StopCause) -> Progress {
        let reason = match cause {
            // The wire has no reason of its own for a stopping daemon.
            StopCause::Cancelled | StopCause::Interrupted => MessageCancelReason::UserCancel,
            StopCause::TimeUp => MessageCancelReason::Error,
        };
        let remains = self.remains(cause.stop_reason(), reason, None);
        Progress::Ended(Early {
            cause: EarlyCause::Stopped(cause),
            remains,
            usage: None,
        })
    }

    fn failed(&mut self, error: ProviderError) -> Progress {
        let usage = error.usage;
        let remains = self.remains(StopReason::Error, MessageCancelReason::Error, usage);
        let cause = if remains.is_none() {
            EarlyCause::FailedUnseen(error)
        } else {
            EarlyCause::Failed(error)
        };
        Progress::Ended(Early {
            cause,
            remains,
            usage,
        })
    }

    /// Text is kept as a partial message; a message without text is taken back.
    fn remains(
        &mut self,
        stop_reason: StopReason,
        reason: MessageCancelReason,
        usage: Option<Usage>,
    ) -> Option<RawRuntimeEvent> {
        if !self.shown {
            return None;
        }
        let assembly = std::mem::take(&mut self.assembly);
        if !assembly.has_text() {
            return Some(RawRuntimeEvent::MessageCancelled { reason });
        }
        let ending = Ending {
            model: self.model.clone(),
            stop_reason,
            usage,
            provider: None,
        };
        Some(RawRuntimeEvent::MessageEnd {
            message: assembly.cut_off(ending),
        })
    }
}

fn ended_without_an_end() -> ProviderError {
    ProviderError {
        category: ErrorCategory::StreamTruncated,
        retryable: true,
        retry_after: None,
        status: None,
        message: "the model's answer ended in the middle".to_owned(),
        usage: None,
    }
}
