use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use scorel_engine::{
    ErrorCategory, ModelInfo, ModelRequest, Provider, ProviderError, ProviderEvent, ProviderStream,
    TokenPrice,
};
use scorel_proto::{StopReason, Usage};
use tokio::time::{Instant, sleep};

/// A model that answers every call by the next script.
#[derive(Debug)]
pub(crate) struct ScriptedModel {
    info: ModelInfo,
    scripts: Mutex<VecDeque<Script>>,
    pub(crate) requests: Mutex<Vec<(Instant, ModelRequest)>>,
    /// How many answers are being read.
    pub(crate) open: Arc<AtomicUsize>,
}

/// One answer of a [`ScriptedModel`], beat by beat.
#[derive(Debug, Clone, Default)]
pub(crate) struct Script {
    beats: VecDeque<Beat>,
    blocks: usize,
}

#[derive(Debug, Clone)]
enum Beat {
    Event(ProviderEvent),
    Fail(ProviderError),
    Wait(Duration),
    Hang,
}

impl ScriptedModel {
    pub(crate) fn new(scripts: impl IntoIterator<Item = Script>) -> Arc<Self> {
        Self::priced(scripts, None)
    }

    pub(crate) fn priced(
        scripts: impl IntoIterator<Item = Script>,
        price: Option<TokenPrice>,
    ) -> Arc<Self> {
        Arc::new(Self {
            info: ModelInfo {
                provider: "scripted".to_owned(),
                id: "scripted-1".to_owned(),
                context_window: 100_000,
                max_output_tokens: 10_000,
                price,
            },
            scripts: Mutex::new(scripts.into_iter().collect()),
            requests: Mutex::default(),
            open: Arc::default(),
        })
    }

    pub(crate) fn calls(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    /// The times between the calls.
    pub(crate) fn gaps(&self) -> Vec<Duration> {
        let requests = self.requests.lock().unwrap();
        requests
            .windows(2)
            .map(|pair| pair[1].0.duration_since(pair[0].0))
            .collect()
    }
}

impl Provider for ScriptedModel {
    fn model(&self) -> &ModelInfo {
        &self.info
    }

    fn stream(&self, request: ModelRequest) -> ProviderStream {
        let mut requests = self.requests.lock().unwrap();
        requests.push((Instant::now(), request));
        let script = self.scripts.lock().unwrap().pop_front();
        let script = script.expect("a script for the model call");
        let open = Open::new(&self.open);
        stream::unfold((script.beats, open), |(mut beats, open)| async move {
            loop {
                let item = match beats.pop_front()? {
                    Beat::Event(event) => Ok(event),
                    Beat::Fail(error) => Err(error),
                    Beat::Wait(duration) => {
                        sleep(duration).await;
                        continue;
                    }
                    Beat::Hang => std::future::pending().await,
                };
                return Some((item, (beats, open)));
            }
        })
        .boxed()
    }
}

/// Counts while it lives.
struct Open(Arc<AtomicUsize>);

impl Open {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Script {
    pub(crate) fn event(mut self, event: ProviderEvent) -> Self {
        self.beats.push_back(Beat::Event(event));
        self
    }

    fn block(&mut self) -> usize {
        self.blocks += 1;
        self.blocks - 1
    }

    pub(crate) fn start(self, model: &str) -> Self {
        let model = Some(model.to_owned());
        self.event(ProviderEvent::Start { model })
    }

    /// A block of text, delta by delta.
    pub(crate) fn text(mut self, deltas: &[&str]) -> Self {
        let block = self.block();
        deltas.iter().fold(self, |script, delta| {
            let delta = (*delta).to_owned();
            script.event(ProviderEvent::Text { block, delta })
        })
    }

    pub(crate) fn thinking(mut self, text: &str) -> Self {
        let (block, delta) = (self.block(), text.to_owned());
        self.event(ProviderEvent::Thinking { block, delta })
    }

    /// The beginning of a call, with the arguments so far.
    pub(crate) fn call(mut self, id: &str, name: &str, arguments: &str) -> Self {
        let block = self.block();
        let begun = ProviderEvent::ToolCallStart {
            block,
            id: id.to_owned(),
            name: name.to_owned(),
            provider: None,
        };
        let delta = arguments.to_owned();
        self.event(begun)
            .event(ProviderEvent::ToolCallDelta { block, delta })
    }

    pub(crate) fn wait(mut self, duration: Duration) -> Self {
        self.beats.push_back(Beat::Wait(duration));
        self
    }

    /// Nothing comes any more.
    pub(crate) fn hang(mut self) -> Self {
        self.beats.push_back(Beat::Hang);
        self
    }

    pub(crate) fn fail(mut self, error: ProviderError) -> Self {
        self.beats.push_back(Beat::Fail(error));
        self
    }

    pub(crate) fn done(self, stop_reason: StopReason) -> Self {
        self.done_using(stop_reason, 10)
    }

    pub(crate) fn done_using(self, stop_reason: StopReason, tokens: u64) -> Self {
        let usage = Usage {
            input_tokens: tokens,
            ..Usage::default()
        };
        self.event(ProviderEvent::Done {
            stop_reason,
            usage: Some(usage),
            charged: None,
            provider: None,
        })
    }

    /// A whole answer that ends the turn.
    pub(crate) fn says(text: &str) -> Self {
        Self::default().text(&[text]).done(StopReason::EndTurn)
    }

    /// A whole answer that asks for tools: ids and names.
    pub(crate) fn asks(calls: &[(&str, &str)]) -> Self {
        calls
            .iter()
            .fold(Self::default(), |script, (id, name)| {
                script.call(id, name, "{}")
            })
            .done(StopReason::ToolUse)
    }
}

/// A failure that may pass.
pub(crate) fn overloaded(retry_after: Option<Duration>) -> ProviderError {
    ProviderError {
        category: ErrorCategory::Overloaded,
        retryable: true,
        retry_after,
        status: Some(529),
        message: "too much to do".to_owned(),
        hint: None,
        usage: None,
    }
}
