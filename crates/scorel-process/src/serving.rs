//! The messages of a process.

use std::sync::Arc;

use futures_util::StreamExt as _;
use scorel_peer::{
    Frame, FrameEntry, FrameError, JsonText, Members, RequestId, RequestObject, TextStream,
    answer_head, refusal, write,
};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::task::coop::consume_budget;

use crate::log_pace::LogPace;
use crate::output_pace::OutputPace;
use crate::read_part::LIMITS;
use crate::service::{Service, ServiceFraming};
use crate::service_link::ServiceLink;

/// Calls of a process that are open; with more, it is not read.
const MAX_CALLS: usize = 64;

/// The cost of a text at a pace of its own, beside that of its bytes: a flood is of small ones.
const TEXT: usize = 1024;

/// Bytes of a line in the log that is not a message.
const STRAY: usize = 4 * 1024;

/// The reason of a connection whose program may be about to exit.
pub(crate) const CLOSED_OUTPUT: &str = "it closed its output";

/// Reads and writes until the connection fails, and returns why.
pub(crate) async fn serve(
    link: &Arc<ServiceLink>,
    service: &Arc<dyn Service>,
    stream: TextStream,
    framing: ServiceFraming,
) -> String {
    let TextStream {
        mut incoming,
        outgoing,
    } = stream;
    let writing = async {
        match write(link.peer().outbox(), outgoing).await {
            // Closed by this side: the end of the output is next.
            Ok(()) => std::future::pending().await,
            Err(error) => format!("it takes no more input: {error}"),
        }
    };
    let reading = async {
        let mut calls = IncomingCalls {
            link,
            service,
            slots: Arc::new(Semaphore::new(MAX_CALLS)),
            running: JoinSet::new(),
            strays: (framing == ServiceFraming::LooseLines).then(LogPace::new),
        };
        let mut pace = OutputPace::new();
        while let Some(text) = incoming.next().await {
            consume_budget().await;
            let taken = match text {
                Ok(text) => {
                    let taken = calls.take(&text).await;
                    pace.took(TEXT).await;
                    taken
                }
                Err(FrameError::Io(error)) => return error.to_string(),
                Err(error) => Err(error.to_string()),
            };
            if let Err(reason) = taken {
                return format!("it broke the protocol: {reason}");
            }
        }
        CLOSED_OUTPUT.to_owned()
    };
    tokio::select! { biased;
        reason = reading => reason,
        reason = writing => reason,
    }
}

struct IncomingCalls<'a> {
    link: &'a Arc<ServiceLink>,
    service: &'a Arc<dyn Service>,
    slots: Arc<Semaphore>,
    /// Ended with the connection.
    running: JoinSet<()>,
    /// Takes texts that are not messages, where that is not a failure.
    strays: Option<LogPace>,
}

impl IncomingCalls<'_> {
    async fn take(&mut self, text: &[u8]) -> Result<(), String> {
        while self.running.try_join_next().is_some() {}
        match Frame::parse(text, &LIMITS) {
            Frame::Single(entry) => self.take_entry(entry).await,
            Frame::Batch(entries) => {
                for entry in entries {
                    self.take_entry(entry).await;
                }
            }
            Frame::Refused(error) => return self.take_refused(text, error.message),
            Frame::NotUtf8 => return self.take_stray(text, "a text is not UTF-8".to_owned()),
        }
        Ok(())
    }

    /// An answer that breaks a limit, or has half a character in it, is for its call, which would wait for it. The call
    /// looks at a result by itself: a list may have one entry that breaks a limit.
    fn take_refused(&mut self, text: &[u8], problem: String) -> Result<(), String> {
        let read = serde_json::from_slice::<Members<&RawValue>>(text);
        let Some(mut answer) = read.ok().filter(Members::is_answer) else {
            return self.take_stray(text, problem);
        };
        let reason = format!("its answer cannot be read: {problem}");
        let error = to_raw_value(&json!({ "code": -32000, "message": reason }));
        if answer.error.is_some() {
            answer.error = error.as_deref().ok();
        }
        self.link.peer().answered(&answer);
        Ok(())
    }

    fn take_stray(&mut self, text: &[u8], problem: String) -> Result<(), String> {
        let pace = self.strays.as_mut().ok_or(problem)?;
        pace.log(self.service.name(), &text[..text.len().min(STRAY)]);
        Ok(())
    }

    async fn take_entry(&mut self, entry: FrameEntry<'_>) {
        match entry {
            FrameEntry::Answer(answer) => self.link.peer().answered(&answer),
            FrameEntry::Notification(request) => {
                let params = params(&request);
                self.service.notified(&request.method, &params);
            }
            FrameEntry::Call(id, request) => self.take_call(id, &request).await,
            FrameEntry::Invalid(id, error) => self.send(refusal(&id, &error)).await,
        }
    }

    async fn take_call(&mut self, id: RequestId, request: &RequestObject<'_>) {
        // Closed never: it is this reader's own.
        let slot = Arc::clone(&self.slots).acquire_owned().await.ok();
        let link = Arc::clone(self.link);
        let answering = self.service.called(request.method.clone(), params(request));
        self.running.spawn(async move {
            let _slot = slot;
            let text = match answering.await {
                Ok(result) => {
                    let result = format!("\"result\":{}", result.get());
                    JsonText::new(answer_head(&id), result.into(), "}")
                }
                Err(error) => refusal(&id, &error),
            };
            // Fails if the connection is ending.
            let _sent = link.peer().outbox().send(text).await.is_ok();
        });
    }

    async fn send(&self, text: JsonText) {
        let _sent = self.link.peer().outbox().reply(text).await.is_ok();
    }
}

fn params(request: &RequestObject<'_>) -> Box<RawValue> {
    let text = request.params.map(str::to_owned);
    let raw = text.and_then(|text| RawValue::from_string(text).ok());
    raw.unwrap_or_else(|| RawValue::NULL.to_owned())
}

#[cfg(test)]
mod tests;
