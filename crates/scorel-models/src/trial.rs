//! A short call that shows whether a model works. It is bounded in time and in cost, since its user
//! waits and pays for it.

use std::time::Duration;

use futures_util::StreamExt;
use scorel_engine::{ErrorCategory, ModelRequest, Provider, ProviderError, ProviderEvent};
use scorel_proto::{Message, StopReason, ThinkingLevel, Usage};
use tokio::time::timeout;

/// Long enough for every endpoint that is up, short enough to wait for.
const TRIAL_TIMEOUT: Duration = Duration::from_secs(20);

/// Bounds the cost. A model that thinks may not come to its answer within it, which shows as well that
/// it works.
pub(super) const TRIAL_TOKENS: u64 = 64;

/// Ends an answer of an endpoint that ignores [`TRIAL_TOKENS`]: no 64 tokens are as long.
const TRIAL_BYTES: usize = 4096;

const QUESTION: &str = "Answer with one word: ready";

/// The outcome of a trial that the model passed.
#[derive(Debug, Default, PartialEq)]
pub(super) struct TrialAnswer {
    /// As the endpoint names it.
    pub(super) model: Option<String>,
    pub(super) usage: Option<Usage>,
    /// True if the limit of tokens ended it.
    pub(super) is_cut_off: bool,
}

/// Asks the model for one word. The provider must already be limited to [`TRIAL_TOKENS`].
pub(super) async fn trial(provider: &dyn Provider) -> Result<TrialAnswer, ProviderError> {
    let answer = timeout(TRIAL_TIMEOUT, ask(provider)).await;
    answer.unwrap_or_else(|_| Err(late()))
}

async fn ask(provider: &dyn Provider) -> Result<TrialAnswer, ProviderError> {
    let mut stream = provider.stream(ModelRequest {
        system: String::new(),
        messages: vec![Message::user(QUESTION)].into(),
        tools: Vec::new(),
        thinking: ThinkingLevel::Default,
    });
    let mut answer = TrialAnswer::default();
    let mut bytes = 0;
    while let Some(event) = stream.next().await {
        match event {
            Ok(ProviderEvent::Start { model }) => answer.model = model,
            Ok(ProviderEvent::Done {
                usage, stop_reason, ..
            }) => {
                answer.usage = usage;
                answer.is_cut_off = stop_reason == StopReason::MaxTokens;
                break;
            }
            Ok(ProviderEvent::Text { delta, .. } | ProviderEvent::Thinking { delta, .. }) => {
                bytes += delta.len();
            }
            Ok(_) => {}
            // It spent all of the limit on reasoning.
            Err(error) if error.category == ErrorCategory::Length => {
                answer.usage = error.usage;
                answer.is_cut_off = true;
            }
            Err(error) => return Err(error),
        }
        if bytes > TRIAL_BYTES {
            answer.is_cut_off = true;
            break;
        }
    }
    Ok(answer)
}

fn late() -> ProviderError {
    let hint = "a server that loads the model first may need longer: repeat when it has, or skip the \
                trial with `scorelctl init --no-check`";
    ProviderError {
        category: ErrorCategory::Timeout,
        retryable: true,
        retry_after: None,
        status: None,
        message: format!(
            "the model did not answer within the trial's limit of {} s",
            TRIAL_TIMEOUT.as_secs()
        ),
        hint: Some(hint.to_owned()),
        usage: None,
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use scorel_engine::{ModelInfo, ProviderStream};
    use tokio::time::Instant;

    use super::*;

    /// Answers with these events, then never ends.
    #[derive(Debug)]
    struct Endless {
        model: ModelInfo,
        events: Vec<ProviderEvent>,
    }

    impl Endless {
        fn new(events: Vec<ProviderEvent>) -> Self {
            let model = ModelInfo {
                provider: "lab".to_owned(),
                id: "m".to_owned(),
                context_window: 4096,
                max_output_tokens: TRIAL_TOKENS,
                price: None,
            };
            Self { model, events }
        }
    }

    impl Provider for Endless {
        fn model(&self) -> &ModelInfo {
            &self.model
        }

        fn stream(&self, _: ModelRequest) -> ProviderStream {
            let events = self.events.clone().into_iter().map(Ok);
            stream::iter(events).chain(stream::pending()).boxed()
        }
    }

    fn text(length: usize) -> ProviderEvent {
        ProviderEvent::Text {
            block: 0,
            delta: "x".repeat(length),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_model_that_does_not_come_to_an_end_has_twenty_seconds() {
        for events in [vec![], vec![text(TRIAL_BYTES)]] {
            let began = Instant::now();
            let late = trial(&Endless::new(events)).await.unwrap_err();
            assert_eq!(began.elapsed().as_secs(), 20);
            assert_eq!(late.category, ErrorCategory::Timeout);
            assert!(late.message.contains("20 s"), "{late:?}");
            assert!(late.hint.unwrap().contains("--no-check"));
        }
    }

    #[tokio::test]
    async fn an_answer_that_the_limit_ended_is_an_answer() {
        for (stop_reason, is_cut_off) in
            [(StopReason::MaxTokens, true), (StopReason::EndTurn, false)]
        {
            let done = ProviderEvent::Done {
                stop_reason,
                usage: None,
                charged: None,
                provider: None,
            };
            let answer = trial(&Endless::new(vec![text(5), done])).await.unwrap();
            assert_eq!(answer.is_cut_off, is_cut_off);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_endpoint_that_ignores_the_limit_is_not_read_on() {
        let began = Instant::now();
        let model = Endless::new(vec![text(TRIAL_BYTES), text(1)]);
        let answer = trial(&model).await.unwrap();
        assert!(answer.is_cut_off);
        assert_eq!(began.elapsed(), Duration::ZERO);
    }
}
