use std::sync::Arc;

use scorel_engine::Provider;
use scorel_proto::{AssistantMessage, Context};
use scorel_provider::{Connector, ModelConfig, NoBlobs, Secret};
use scorel_testkit::{ModelServer, ScriptedResponse, StrictServer};

use crate::collected::{KEY, collect, question};
use crate::played;

/// A model at an endpoint of one kind.
#[derive(Debug, Clone, Copy)]
pub(super) struct Endpoint {
    pub(super) api: &'static str,
    model: &'static str,
    /// The built-in provider whose dialect the endpoint speaks.
    dialect: Option<&'static str>,
}

/// Every API, and the kinds of endpoint whose histories differ within one.
pub(super) const ENDPOINTS: [Endpoint; 8] = [
    endpoint("openai-completions", "gpt-4.1", None),
    endpoint("openai-completions", "mistral-medium", Some("mistral")),
    endpoint("openai-completions", "deepseek-chat", Some("deepseek")),
    endpoint("openai-responses", "gpt-5", Some("openai")),
    endpoint("openai-responses", "gpt-oss", None),
    endpoint("anthropic-messages", "claude-opus-4-5", None),
    endpoint("google-generative-ai", "gemini-3-pro", None),
    endpoint("google-generative-ai", "gemini-2.5-flash", None),
];

const fn endpoint(
    api: &'static str,
    model: &'static str,
    dialect: Option<&'static str>,
) -> Endpoint {
    Endpoint {
        api,
        model,
        dialect,
    }
}

/// One server that answers whatever it is told to, and one that checks requests.
pub(super) struct Endpoints {
    connector: Connector,
    told: ModelServer,
    strict: StrictServer,
}

impl Endpoints {
    pub(super) async fn start() -> Self {
        Self {
            connector: Connector::default(),
            told: ModelServer::start().await.unwrap(),
            strict: StrictServer::start_trusting().await.unwrap(),
        }
    }

    /// The answer as the engine stores it; `None` if it stores none.
    pub(super) async fn answer(
        &self,
        endpoint: Endpoint,
        response: ScriptedResponse,
        history: &Context,
    ) -> Option<AssistantMessage> {
        self.told.answer(response);
        let provider = self.connect(endpoint, &self.told.base_url());
        played::answer(provider, history).await
    }

    /// The reasons for which endpoints refuse a conversation.
    pub(super) async fn refusals(&self, history: &Context) -> Vec<String> {
        let before = self.strict.rejections().len();
        for endpoint in ENDPOINTS {
            let mut request = question();
            request.messages = history.clone();
            let provider = self.connect(endpoint, &self.strict.server().base_url());
            collect(provider.stream(request)).await;
        }
        self.strict.rejections().split_off(before)
    }

    fn connect(&self, endpoint: Endpoint, base_url: &str) -> Arc<dyn Provider> {
        let mut config = ModelConfig::custom("test", endpoint.api, base_url, endpoint.model);
        config.dialect = endpoint.dialect.map(str::to_owned);
        self.connector
            .connect(&config, Some(Secret::new(KEY)), Arc::new(NoBlobs))
            .unwrap()
    }
}
