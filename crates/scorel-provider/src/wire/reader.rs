use std::collections::VecDeque;
use std::time::Duration;

use futures_util::stream::{self, BoxStream, StreamExt};
use scorel_runtime::{ProviderError, ProviderEvent, ProviderStream};
use tokio::time::timeout;

use super::Answer;
use crate::Secret;
use crate::http::{ReadError, error_text};
use crate::sse::Event;

/// How long to wait for the end of a body after its last event. It comes at once where the
/// connection can be used again; where it does not, the connection is given up.
const LINGER: Duration = Duration::from_millis(100);

/// Turns the events of a response into the engine's.
///
/// `settle` bounds the wait for what may follow the reason to stop.
pub(super) fn read<A: Answer>(
    events: BoxStream<'static, Result<Event, ReadError>>,
    answer: A,
    key: Option<Secret>,
    settle: Duration,
) -> ProviderStream {
    let reader = Reader {
        events,
        answer: Some(answer),
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

struct Reader<A> {
    events: BoxStream<'static, Result<Event, ReadError>>,
    /// `None` once it has ended.
    answer: Option<A>,
    /// What one event of the response gave and was not taken yet.
    ready: VecDeque<Result<ProviderEvent, ProviderError>>,
    key: Option<Secret>,
    settle: Duration,
}

impl<A: Answer> Reader<A> {
    async fn next(&mut self) -> Option<Result<ProviderEvent, ProviderError>> {
        while self.ready.is_empty() {
            let answer = self.answer.take()?;
            self.step(answer).await;
        }
        self.ready.pop_front()
    }

    /// Takes one event of the response.
    async fn step(&mut self, mut answer: A) {
        let mut out = Vec::new();
        let outcome = match self.read(answer.is_finished()).await {
            Some(Ok(event)) => {
                let taken = answer.event(&event, &mut out);
                if taken.is_err() || !answer.is_done() {
                    taken.map(|()| self.answer = Some(answer))
                } else {
                    self.let_go();
                    answer.end(&mut out)
                }
            }
            // Whatever breaks after the reason to stop, the answer is complete.
            Some(Err(error)) if !answer.is_finished() => Err(ProviderError {
                usage: answer.usage(),
                ..error.into()
            }),
            Some(Err(_)) | None => answer.end(&mut out),
        };
        self.ready.extend(out.into_iter().map(Ok));
        if let Err(error) = outcome {
            self.ready.push_back(Err(self.shown(error)));
        }
    }

    /// Reads on to the end of the body, so that the connection can be used again. The answer does
    /// not wait for that.
    fn let_go(&mut self) {
        let mut events = std::mem::replace(&mut self.events, stream::empty().boxed());
        tokio::spawn(async move {
            // Whatever comes, nobody wants it any more.
            let _end = timeout(LINGER, events.next()).await;
        });
    }

    async fn read(&mut self, finished: bool) -> Option<Result<Event, ReadError>> {
        let next = self.events.next();
        if finished {
            timeout(self.settle, next).await.unwrap_or(None)
        } else {
            next.await
        }
    }

    fn shown(&self, mut error: ProviderError) -> ProviderError {
        error.message = error_text(&error.message, self.key.as_ref());
        error
    }
}
