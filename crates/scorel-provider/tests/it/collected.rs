use std::sync::Arc;

use futures_util::StreamExt;
use scorel_engine::{
    ModelRequest, Provider, ProviderError, ProviderEvent, ProviderStream, ThinkingLevel,
};
use scorel_proto::{Message, StopReason, Usage};
use scorel_provider::{Connector, ModelConfig, NoBlobs, Secret, Timeouts};
use scorel_testkit::ModelServer;
use serde_json::Value;

pub(crate) const KEY: &str = "sk-test-0123456789";

/// For tests that do not depend on the API.
pub(crate) const ANY_API: &str = "openai-completions";

pub(crate) fn provider(server: &ModelServer, timeouts: Timeouts) -> Arc<dyn Provider> {
    provider_at(ANY_API, &server.base_url(), timeouts)
}

pub(crate) fn provider_at(api: &str, base_url: &str, timeouts: Timeouts) -> Arc<dyn Provider> {
    let config = ModelConfig::custom("test", api, base_url, "model-1");
    Connector::new(timeouts)
        .connect(&config, Some(Secret::new(KEY)), Arc::new(NoBlobs))
        .unwrap()
}

pub(crate) fn question() -> ModelRequest {
    ModelRequest {
        system: String::new(),
        messages: vec![Message::user("hi")].into(),
        tools: Vec::new(),
        thinking: ThinkingLevel::Default,
    }
}

/// Sends a question with default timeouts and collects the reply.
pub(crate) async fn ask(server: &ModelServer) -> Collected {
    ask_over(ANY_API, server).await
}

pub(crate) async fn ask_over(api: &str, server: &ModelServer) -> Collected {
    let provider = provider_at(api, &server.base_url(), Timeouts::default());
    collect(provider.stream(question())).await
}

/// The events of one call, assembled.
#[derive(Debug, Default)]
pub(crate) struct Collected {
    pub(crate) model: Option<String>,
    /// The kinds of the blocks, in order.
    pub(crate) kinds: Vec<&'static str>,
    pub(crate) text: String,
    pub(crate) thinking: String,
    pub(crate) calls: Vec<CollectedCall>,
    /// The metadata of text blocks.
    pub(crate) text_meta: Vec<Value>,
    /// The metadata of reasoning blocks.
    pub(crate) thinking_meta: Vec<Value>,
    pub(crate) end: Option<CollectedEnd>,
}

#[derive(Debug)]
pub(crate) struct CollectedCall {
    block: usize,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

#[derive(Debug)]
pub(crate) enum CollectedEnd {
    Done {
        stop_reason: StopReason,
        usage: Option<Usage>,
        provider: Option<Value>,
    },
    Error(ProviderError),
}

impl Collected {
    pub(crate) fn error(&self) -> &ProviderError {
        match &self.end {
            Some(CollectedEnd::Error(error)) => error,
            other => panic!("no error but {other:?}"),
        }
    }

    pub(crate) fn stop_reason(&self) -> StopReason {
        match &self.end {
            Some(CollectedEnd::Done { stop_reason, .. }) => *stop_reason,
            other => panic!("no end but {other:?}"),
        }
    }

    pub(crate) fn usage(&self) -> Option<Usage> {
        match &self.end {
            Some(CollectedEnd::Done { usage, .. }) => *usage,
            Some(CollectedEnd::Error(error)) => error.usage,
            None => None,
        }
    }

    fn add(&mut self, event: ProviderEvent) {
        assert!(self.end.is_none(), "{event:?} after the end");
        match event {
            ProviderEvent::Start { model } => self.model = model,
            ProviderEvent::Text { block, delta } => {
                self.begin(block, "text");
                self.text.push_str(&delta);
            }
            ProviderEvent::TextMeta { block, provider } => {
                self.begin(block, "text");
                self.text_meta.push(provider);
            }
            ProviderEvent::Thinking { block, delta } => {
                self.begin(block, "thinking");
                self.thinking.push_str(&delta);
            }
            ProviderEvent::ThinkingMeta {
                block, provider, ..
            } => {
                self.begin(block, "thinking");
                self.thinking_meta.extend(provider);
            }
            ProviderEvent::ToolCallStart {
                block, id, name, ..
            } => {
                self.begin(block, "tool_call");
                let arguments = String::new();
                self.calls.push(CollectedCall {
                    block,
                    id,
                    name,
                    arguments,
                });
            }
            ProviderEvent::ToolCallDelta { block, delta } => {
                let mut calls = self.calls.iter_mut();
                let call = calls.find(|call| call.block == block).unwrap();
                call.arguments.push_str(&delta);
            }
            ProviderEvent::Done {
                stop_reason,
                usage,
                provider,
                ..
            } => {
                self.end = Some(CollectedEnd::Done {
                    stop_reason,
                    usage,
                    provider,
                });
            }
        }
    }

    fn begin(&mut self, block: usize, kind: &'static str) {
        match self.kinds.get(block) {
            Some(begun) => assert_eq!(*begun, kind),
            None => {
                assert_eq!(block, self.kinds.len(), "a block was left out");
                self.kinds.push(kind);
            }
        }
    }
}

pub(crate) async fn collect(mut stream: ProviderStream) -> Collected {
    let mut collected = Collected::default();
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) => collected.add(event),
            Err(error) => {
                assert!(collected.end.is_none());
                collected.end = Some(CollectedEnd::Error(error));
            }
        }
    }
    assert!(collected.end.is_some(), "the stream ended without an end");
    collected
}
