use scorel_client::{ClientError, Connect, Connection};
use tokio::task::JoinHandle;

/// A connector whose attempt goes on while nothing waits for it. A stream drops its future at every key, and an
/// attempt that takes longer than the pause between two keys would never end.
#[derive(Debug)]
pub(crate) struct StickyConnector<C> {
    connector: C,
    attempt: Option<JoinHandle<Result<Connection, ClientError>>>,
}

impl<C> StickyConnector<C> {
    pub(crate) const fn new(connector: C) -> Self {
        Self {
            connector,
            attempt: None,
        }
    }
}

impl<C: Connect + Clone + Send + 'static> Connect for StickyConnector<C> {
    async fn connect(&mut self) -> Result<Connection, ClientError> {
        let attempt = self.attempt.get_or_insert_with(|| {
            let mut connector = self.connector.clone();
            tokio::spawn(async move { connector.connect().await })
        });
        let connected = attempt.await;
        self.attempt = None;
        connected.unwrap_or(Err(ClientError::Closed))
    }
}

impl<C> Drop for StickyConnector<C> {
    fn drop(&mut self) {
        if let Some(attempt) = self.attempt.take() {
            attempt.abort();
        }
    }
}
