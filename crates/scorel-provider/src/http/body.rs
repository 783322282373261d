use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, BoxStream, Stream, StreamExt};
use scorel_engine::{ErrorCategory, ProviderError};
use tokio::time::timeout;

use super::provider_error::provider_error;

/// The reason why reading a response body failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BodyError {
    #[error("the provider sent nothing for {} s in the middle of its reply", .0.as_secs_f64())]
    Silent(Duration),
    #[error("the connection broke in the middle of the reply: {0}")]
    Cut(String),
    #[error("the provider sent an event of more than 16 MiB")]
    TooLarge,
    #[error("the provider sent more than 256 MiB in one reply")]
    TooLong,
    #[error("the provider's reply is not valid UTF-8")]
    NotUtf8,
    #[error("the provider's reply cannot be decompressed: {0}")]
    Garbled(String),
    #[error("the provider's reply has an unknown content encoding: {0}")]
    Encoding(String),
    /// The address is wrong, which a user cannot tell from a reply that has no events.
    #[error("the answer is not an event stream but a web page ({content_type}): {summary}")]
    Page {
        content_type: String,
        /// The title of the page and its first sentence.
        summary: String,
    },
}

/// The bytes of a response.
pub(crate) type BodyStream = BoxStream<'static, Result<Bytes, BodyError>>;

const WEB_PAGE_HINT: &str = "check `baseUrl`: it has to be the address of the API, which often \
    ends in /v1, and not that of a web site";

impl From<BodyError> for ProviderError {
    fn from(error: BodyError) -> Self {
        let (category, retryable) = match error {
            BodyError::Silent(_) => (ErrorCategory::Timeout, true),
            BodyError::Cut(_) => (ErrorCategory::StreamTruncated, true),
            BodyError::TooLarge
            | BodyError::TooLong
            | BodyError::Encoding(_)
            | BodyError::Page { .. } => (ErrorCategory::ServerError, false),
            BodyError::NotUtf8 | BodyError::Garbled(_) => (ErrorCategory::ServerError, true),
        };
        let is_page = matches!(error, BodyError::Page { .. });
        Self {
            hint: is_page.then(|| WEB_PAGE_HINT.to_owned()),
            ..provider_error(category, retryable, error.to_string())
        }
    }
}

/// Ends the body with an error when no byte arrives for `idle`. There is no limit on the time of the
/// whole reply: a model may reason for many minutes, and keep-alive comments show that it is at work.
pub(crate) fn idle_limited(
    body: impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static,
    idle: Duration,
) -> BodyStream {
    stream::unfold(Some(body.boxed()), move |body| async move {
        let mut body = body?;
        match timeout(idle, body.next()).await {
            Ok(Some(Ok(bytes))) => Some((Ok(bytes), Some(body))),
            Ok(Some(Err(error))) => Some((Err(error), None)),
            Ok(None) => None,
            Err(_) => Some((Err(BodyError::Silent(idle)), None)),
        }
    })
    .boxed()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;
    use futures_util::{StreamExt, stream};

    use super::{BodyError, idle_limited};

    const IDLE: Duration = Duration::from_secs(120);

    /// A comment every `period`, which is nothing to a reader of events.
    fn comments(
        period: Duration,
    ) -> impl stream::Stream<Item = Result<Bytes, BodyError>> + Send + 'static {
        stream::unfold(tokio::time::interval(period), async |mut ticks| {
            ticks.tick().await;
            Some((Ok(Bytes::from_static(b": alive\n")), ticks))
        })
    }

    #[tokio::test(start_paused = true)]
    async fn any_byte_restarts_the_timeout() {
        let start = tokio::time::Instant::now();
        let body = idle_limited(comments(IDLE - Duration::from_secs(1)).take(100), IDLE);
        assert!(body.all(async |chunk| chunk.is_ok()).await);
        assert!(start.elapsed() > IDLE * 90);
    }

    #[tokio::test(start_paused = true)]
    async fn silence_ends_the_body() {
        let body = idle_limited(comments(IDLE + Duration::from_secs(1)), IDLE);
        let chunks: Vec<_> = body.collect().await;
        assert_eq!(chunks.len(), 2);
        assert_eq!(chunks[1], Err(BodyError::Silent(IDLE)));
    }
}
