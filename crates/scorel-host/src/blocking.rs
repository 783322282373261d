use crate::call_error::CallError;

/// Runs a part of a call on a blocking thread. It goes on if the call is dropped.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, CallError> {
    scorel_engine::spawn_blocking(work)
        .await
        .map_err(|error| CallError::Internal(error.to_string()))
}
