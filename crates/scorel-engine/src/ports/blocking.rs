use futures_util::future::BoxFuture;
use serde_json::Map;
use tokio::task::JoinError;

use super::ToolOutcome;
use super::quote::quote;
use crate::blocking_task::panic_text;
use crate::spawn_blocking;

/// Runs a part of a tool's work on a thread that may block.
///
/// # Errors
/// That of the work, or the outcome of a tool that panicked.
pub async fn blocking<T, E>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, ToolOutcome>
where
    T: Send + 'static,
    E: Into<ToolOutcome> + Send + 'static,
{
    blocking_now(work).await
}

/// Starts a part of a tool's work on a thread that may block, and returns what waits for its end. The work
/// goes on without that.
pub fn blocking_now<T, E>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> BoxFuture<'static, Result<T, ToolOutcome>>
where
    T: Send + 'static,
    E: Into<ToolOutcome> + Send + 'static,
{
    let working = spawn_blocking(work);
    Box::pin(async move {
        match working.await {
            Ok(result) => result.map_err(Into::into),
            Err(error) => Err(panicked(error)),
        }
    })
}

/// A defect of a tool is the model's to hear about, not the end of the turn. The other cause of a
/// `JoinError` is a runtime that shuts down before the work began.
fn panicked(error: JoinError) -> ToolOutcome {
    let cause = match error.try_into_panic() {
        Ok(payload) => panic_text(&*payload),
        Err(error) => error.to_string(),
    };
    let message = format!("the tool failed: {}", quote(&cause));
    ToolOutcome::failure("E_INTERNAL", &message, Map::new())
}
