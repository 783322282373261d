use std::sync::Arc;

use bytes::Bytes;
use scorel_engine::{ModelInfo, ModelRequest, ThinkingLevel};
use scorel_proto::Context;

use crate::anthropic_messages::{AnthropicDialect, AnthropicMessages};
use crate::blobs::{BlobSource, OneBlob};
use crate::google_generative_ai::GoogleGenerativeAi;
use crate::http::Http;
use crate::openai_completions::{ChatDialect, OpenAiCompletions};
use crate::openai_responses::{OpenAiResponses, ResponsesDialect};
use crate::wire::{ModelEndpoint, Wire, render};
use crate::{ThinkingLevels, Timeouts};

pub(super) const MODEL: &str = "model-1";

/// The number of endpoints to choose from.
pub(super) const CHOICES: usize = 9;

/// An endpoint of some wire.
#[derive(Debug)]
pub(super) enum AnyEndpoint {
    Chat(ModelEndpoint<ChatDialect>),
    Anthropic(ModelEndpoint<AnthropicDialect>),
    Gemini(ModelEndpoint<()>),
    Responses(ModelEndpoint<ResponsesDialect>),
}

impl AnyEndpoint {
    pub(super) fn choose(number: usize, blobs: Option<Arc<dyn BlobSource>>) -> Self {
        let blobs = blobs.unwrap_or_else(|| Arc::new(OneBlob));
        let chat = |model, dialect, blobs| {
            Self::Chat(endpoint::<OpenAiCompletions>(model, dialect, blobs))
        };
        let anthropic = |model, blobs| {
            let dialect = AnthropicDialect::ANTHROPIC;
            Self::Anthropic(endpoint::<AnthropicMessages>(model, dialect, blobs))
        };
        let gemini = |model, blobs| Self::Gemini(endpoint::<GoogleGenerativeAi>(model, (), blobs));
        let responses = |host, blobs| {
            let dialect = ResponsesDialect::of_host(Some(host));
            Self::Responses(endpoint::<OpenAiResponses>(MODEL, dialect, blobs))
        };
        match number {
            0 => chat(MODEL, ChatDialect::OPENAI, blobs),
            1 => chat(MODEL, ChatDialect::MISTRAL, blobs),
            2 => chat(
                "anthropic/claude-sonnet-4-5",
                ChatDialect::OPENROUTER,
                blobs,
            ),
            3 => anthropic("claude-sonnet-4-5", blobs),
            4 => anthropic(MODEL, blobs),
            5 => gemini("gemini-2.5-flash", blobs),
            6 => gemini("gemini-3-flash-preview", blobs),
            7 => responses("api.openai.com", blobs),
            _ => responses("127.0.0.1", blobs),
        }
    }

    pub(super) fn render(&self, request: &ModelRequest) -> Bytes {
        match self {
            Self::Chat(endpoint) => render::<OpenAiCompletions>(endpoint, request),
            Self::Anthropic(endpoint) => render::<AnthropicMessages>(endpoint, request),
            Self::Gemini(endpoint) => render::<GoogleGenerativeAi>(endpoint, request),
            Self::Responses(endpoint) => render::<OpenAiResponses>(endpoint, request),
        }
    }
}

pub(super) fn request(system: &str, messages: Context) -> ModelRequest {
    ModelRequest {
        system: system.to_owned(),
        messages,
        tools: Vec::new(),
        thinking: ThinkingLevel::High,
    }
}

fn endpoint<W: Wire>(
    model: &str,
    dialect: W::Dialect,
    blobs: Arc<dyn BlobSource>,
) -> ModelEndpoint<W::Dialect> {
    ModelEndpoint {
        api: W::API,
        model: ModelInfo {
            provider: "test".to_owned(),
            id: model.to_owned(),
            context_window: 200_000,
            max_output_tokens: 64_000,
            price: None,
        },
        url: W::url("http://127.0.0.1/".parse().unwrap(), model),
        key: None,
        dialect,
        output_limit: None,
        reasoning: true,
        levels: ThinkingLevels::of(&[ThinkingLevel::Low, ThinkingLevel::High]),
        images: true,
        stop_sequences: Vec::new(),
        blobs,
        http: Arc::new(Http::new(Timeouts::default())),
    }
}
