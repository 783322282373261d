use std::collections::VecDeque;
use std::time::Duration;

use futures_util::stream::{self, BoxStream, StreamExt};
use scorel_engine::{ProviderError, ProviderEvent, ProviderStream};
use tokio::task::coop::consume_budget;
use tokio::time::timeout;

use super::ModelOrigin;
use super::decoder::WireDecoder;
use super::reply::StreamedReply;
use crate::Secret;
use crate::http::{BodyError, redacted};
use crate::sse::SseEvent;

/// The time to wait for the end of a body after its last event. Reading to the end returns the connection to
/// the pool. On hosts that keep connections alive the end follows at once; on others there is nothing to gain,
/// and the connection is dropped.
const LINGER: Duration = Duration::from_millis(100);

/// Drives the event stream of a response of `origin` through a decoder.
///
/// `settle` bounds the wait for each event after the stop reason, such as the usage.
pub(super) fn read<D: WireDecoder>(
    events: BoxStream<'static, Result<SseEvent, BodyError>>,
    origin: ModelOrigin,
    key: Option<Secret>,
    settle: Duration,
) -> ProviderStream {
    let reader = ReplyReader {
        events,
        reply: Some(StreamedReply::<D>::new(origin)),
        ready: VecDeque::new(),
        key,
        settle,
    };
    stream::unfold(reader, async |mut reader| {
        let item = reader.next().await?;
        Some((item, reader))
    })
    .boxed()
}

struct ReplyReader<D> {
    events: BoxStream<'static, Result<SseEvent, BodyError>>,
    /// `None` once the reply has ended.
    reply: Option<StreamedReply<D>>,
    /// Decoded events that the engine has not asked for yet: one event of the response can give
    /// several. No further event is read while there is one, which is the backpressure.
    ready: VecDeque<Result<ProviderEvent, ProviderError>>,
    key: Option<Secret>,
    settle: Duration,
}

impl<D: WireDecoder> ReplyReader<D> {
    async fn next(&mut self) -> Option<Result<ProviderEvent, ProviderError>> {
        loop {
            // One chunk of the body can hold thousands of events, which are there at once and may give
            // nothing; others have to get their turn.
            consume_budget().await;
            if let Some(ready) = self.ready.pop_front() {
                return Some(ready);
            }
            let reply = self.reply.take()?;
            self.step(reply).await;
        }
    }

    /// Reads one event and puts the reply back unless it has ended.
    async fn step(&mut self, mut reply: StreamedReply<D>) {
        let mut out = Vec::new();
        let outcome = match self.read(reply.is_complete()).await {
            Some(Ok(event)) => {
                let taken = reply.event(&event, &mut out);
                if taken.is_err() || !reply.status.done {
                    taken.map(|()| self.reply = Some(reply))
                } else {
                    self.drain_in_background();
                    reply.end(&mut out)
                }
            }
            Some(Err(error)) if !reply.is_complete() => Err(ProviderError {
                usage: reply.status.usage,
                ..error.into()
            }),
            // A complete reply stays complete when the connection breaks after it.
            Some(Err(_)) | None => reply.end(&mut out),
        };
        self.ready.extend(out.into_iter().map(Ok));
        if let Err(error) = outcome {
            let error = redacted(error, self.key.as_ref());
            self.ready.push_back(Err(error));
        }
    }

    /// Reads to the end of the body so that the connection can be reused, without delaying the
    /// reply.
    fn drain_in_background(&mut self) {
        let mut events = std::mem::replace(&mut self.events, stream::empty().boxed());
        tokio::spawn(async move {
            let _end = timeout(LINGER, events.next()).await;
        });
    }

    async fn read(&mut self, complete: bool) -> Option<Result<SseEvent, BodyError>> {
        let next = self.events.next();
        if complete {
            timeout(self.settle, next).await.unwrap_or(None)
        } else {
            next.await
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use scorel_engine::ModelInfo;
    use scorel_proto::StopReason;
    use serde_json::Value;

    use super::*;
    use crate::wire::{DecodedReply, ReplyStatus};

    /// Finds nothing in any event.
    #[derive(Default)]
    struct BlindDecoder;

    impl WireDecoder for BlindDecoder {
        const EVENT_FIELD: &'static str = "type";

        fn observe(&mut self, _payload: &Value, _status: &mut ReplyStatus) {}

        fn decode(
            &mut self,
            _payload: &Value,
            _status: &mut ReplyStatus,
            _out: &mut DecodedReply,
        ) -> Result<(), ProviderError> {
            Ok(())
        }

        fn finish(&mut self, _reported: StopReason, _out: &mut DecodedReply) -> Option<Value> {
            None
        }
    }

    #[tokio::test]
    async fn events_that_are_there_at_once_let_others_run() {
        let event = SseEvent {
            name: None,
            data: "{}".to_owned(),
        };
        let events = stream::repeat_with(move || Ok(event.clone())).take(10_000);
        let model = ModelInfo {
            provider: "lab".to_owned(),
            id: "m".to_owned(),
            context_window: 1,
            max_output_tokens: 1,
            price: None,
        };
        let origin = ModelOrigin::new("openai-completions", &model);
        let mut reply = read::<BlindDecoder>(events.boxed(), origin, None, Duration::ZERO);
        let mut polls = 0;
        let end = poll_fn(|context| {
            polls += 1;
            reply.poll_next_unpin(context)
        });
        assert!(end.await.is_some_and(|end| end.is_err()));
        assert!(polls > 50, "{polls} polls");
    }
}
