use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::StreamExt as _;
use prometheus::{IntCounterVec, Opts};
use scorel_engine::{
    ModelInfo, ModelRequest, Provider, ProviderError, ProviderEvent, ProviderStream,
};
use scorel_models::Watch;

use super::metric_set::MetricSet;

/// Providers with a label value of their own. A configuration names a few; those of many projects'
/// configurations, over weeks, must not be more.
const MAX_PROVIDERS: usize = 32;

/// The label value of the providers beyond.
const OTHER: &str = "other";

/// Counts model calls by provider and result.
#[derive(Debug, Clone)]
pub struct ModelCalls {
    calls: IntCounterVec,
    providers: Arc<Mutex<HashSet<String>>>,
}

/// A provider whose calls are counted, each attempt once.
#[derive(Debug)]
struct CountedProvider {
    inner: Arc<dyn Provider>,
    calls: ModelCalls,
}

/// One attempt, from its request to its end.
struct OpenCall {
    calls: ModelCalls,
    provider: String,
    is_counted: bool,
}

impl ModelCalls {
    pub(crate) fn new(set: &MetricSet) -> Self {
        let calls = Opts::new(
            "scorel_model_calls_total",
            "Model calls that have ended, each attempt once, by provider and result.",
        );
        Self {
            calls: set.add(IntCounterVec::new(calls, &["provider", "result"])),
            providers: Arc::default(),
        }
    }

    /// Counts the calls of each provider that is made.
    pub fn watch(&self) -> Watch {
        let calls = self.clone();
        Box::new(move |inner| {
            let calls = calls.clone();
            Arc::new(CountedProvider { inner, calls })
        })
    }

    fn count(&self, provider: &str, result: &str) {
        let mut providers = self
            .providers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let has_room = providers.len() < MAX_PROVIDERS;
        let is_known =
            providers.contains(provider) || (has_room && providers.insert(provider.to_owned()));
        drop(providers);
        let provider = if is_known { provider } else { OTHER };
        self.calls.with_label_values(&[provider, result]).inc();
    }
}

impl Provider for CountedProvider {
    fn model(&self) -> &ModelInfo {
        self.inner.model()
    }

    fn stream(&self, request: ModelRequest) -> ProviderStream {
        let mut call = OpenCall {
            calls: self.calls.clone(),
            provider: self.inner.model().provider.clone(),
            is_counted: false,
        };
        let stream = self.inner.stream(request);
        stream.inspect(move |event| call.look_at(event)).boxed()
    }
}

impl OpenCall {
    fn look_at(&mut self, event: &Result<ProviderEvent, ProviderError>) {
        match event {
            Ok(ProviderEvent::Done { .. }) => self.end("ok"),
            Ok(_) => {}
            Err(error) => self.end(error.category.name()),
        }
    }

    fn end(&mut self, result: &str) {
        if !std::mem::replace(&mut self.is_counted, true) {
            self.calls.count(&self.provider, result);
        }
    }
}

impl Drop for OpenCall {
    /// A stream that is dropped before its end was cancelled.
    fn drop(&mut self) {
        self.end("cancelled");
    }
}
