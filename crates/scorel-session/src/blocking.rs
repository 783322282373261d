use crate::SessionError;

/// Runs `work` on a blocking thread. It goes on if the caller is dropped.
pub(crate) async fn blocking<R: Send + 'static>(
    work: impl FnOnce() -> R + Send + 'static,
) -> Result<R, SessionError> {
    scorel_engine::spawn_blocking(work)
        .await
        .map_err(|error| SessionError::Internal(error.to_string()))
}
