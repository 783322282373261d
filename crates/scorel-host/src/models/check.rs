use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use scorel_proto::{CheckModelResult, Message, ThinkingLevel, Usage};
use scorel_provider::NoBlobs;
use scorel_runtime::{ErrorCategory, ModelRequest, Provider, ProviderError, ProviderEvent};
use tokio::time::timeout;

use super::{ModelError, Models};
use crate::call_error::CallError;

/// Generous: a local model may have to be loaded into memory first.
const CHECK_TIMEOUT: Duration = Duration::from_secs(90);

/// Bounds the cost, with room for models that think before they answer.
const MAX_OUTPUT_TOKENS: u64 = 1_024;

const QUESTION: &str = "Answer with one word: ready";

impl Models {
    /// Asks the configured model, or the named one, for one word.
    pub(crate) async fn check(
        self: &Arc<Self>,
        project: Option<PathBuf>,
        model: Option<String>,
    ) -> Result<CheckModelResult, CallError> {
        let models = Arc::clone(self);
        let made =
            tokio::task::spawn_blocking(move || models.cheap(project.as_deref(), model.as_deref()));
        let (name, made) = made
            .await
            .map_err(|error| CallError::Internal(error.to_string()))?;
        let provider = made.map_err(|error| CallError::Provider {
            provider: name.clone(),
            error,
        })?;
        let began = Instant::now();
        let answer = timeout(CHECK_TIMEOUT, ask(&*provider)).await;
        let answer = answer.unwrap_or_else(|_| Err(late()));
        let answer = answer.map_err(|error| CallError::CheckModel {
            provider: name.clone(),
            error: Box::new(error),
        })?;
        Ok(CheckModelResult {
            model: format!("{name}/{}", provider.model().id),
            answered_by: answer.model,
            usage: answer.usage,
            duration_ms: began.elapsed().as_millis().try_into().unwrap_or(u64::MAX),
        })
    }

    /// The provider, limited to a short answer, and its name for errors. Reads files.
    fn cheap(
        &self,
        project: Option<&Path>,
        model: Option<&str>,
    ) -> (String, Result<Arc<dyn Provider>, ModelError>) {
        let mut config = (*self.config.current(project)).clone();
        if let Some(model) = model {
            match config.model.clone().named(model) {
                Ok(named) => config.model = named,
                Err(error) => {
                    let error = ModelError::from(error);
                    return (error.provider().unwrap_or_default().to_owned(), Err(error));
                }
            }
        }
        let limit = &mut config.model.model.max_output_tokens;
        *limit = Some(limit.unwrap_or(MAX_OUTPUT_TOKENS).min(MAX_OUTPUT_TOKENS));
        let provider = self.provider(&config, None, Arc::new(NoBlobs));
        (config.model.provider().to_owned(), provider)
    }
}

/// What the check reports of the model's answer.
#[derive(Default)]
struct CheckAnswer {
    model: Option<String>,
    usage: Option<Usage>,
}

async fn ask(provider: &dyn Provider) -> Result<CheckAnswer, ProviderError> {
    let mut stream = provider.stream(ModelRequest {
        system: String::new(),
        messages: vec![Message::user(QUESTION)].into(),
        tools: Vec::new(),
        thinking: ThinkingLevel::Default,
    });
    let mut answer = CheckAnswer::default();
    while let Some(event) = stream.next().await {
        match event {
            Ok(ProviderEvent::Start { model }) => answer.model = model,
            Ok(ProviderEvent::Done { usage, .. }) => answer.usage = usage,
            Ok(_) => {}
            // The output limit cut the answer off: the model works.
            Err(error) if error.category == ErrorCategory::Length => answer.usage = error.usage,
            Err(error) => return Err(error),
        }
    }
    Ok(answer)
}

fn late() -> ProviderError {
    ProviderError {
        category: ErrorCategory::Timeout,
        retryable: true,
        retry_after: None,
        status: None,
        message: format!(
            "the model did not answer within {} s",
            CHECK_TIMEOUT.as_secs()
        ),
        hint: None,
        usage: None,
    }
}
