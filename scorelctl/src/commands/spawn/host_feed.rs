use scorel_client::{Backoff, ClientError, Subscription};
use scorel_proto::HostEvent;
use serde_json::value::RawValue;
use tokio::time::{Instant, sleep};

use crate::daemon::{DaemonConnector, PATIENCE};

/// The changes that the daemon reports of itself, on a connection of its own that is made again when it is
/// lost. Each connection begins with a snapshot, so no state is missed.
pub(in crate::commands) struct HostFeed {
    link: DaemonConnector,
    subscription: Option<Subscription>,
    /// Grows while connections are lost before they bring anything.
    backoff: Backoff,
}

impl HostFeed {
    pub(in crate::commands) fn new(link: DaemonConnector) -> Self {
        Self {
            link,
            subscription: None,
            backoff: Backoff::default(),
        }
    }

    /// The next change, with its text. Changes that this version does not know are skipped.
    pub(in crate::commands) async fn next(
        &mut self,
    ) -> Result<(Box<RawValue>, HostEvent), ClientError> {
        loop {
            if let Some(change) = self.next_or_lost().await? {
                return Ok(change);
            }
        }
    }

    /// As [`HostFeed::next`]; `None` when the connection is lost, which the next call makes again.
    pub(in crate::commands) async fn next_or_lost(
        &mut self,
    ) -> Result<Option<(Box<RawValue>, HostEvent)>, ClientError> {
        loop {
            let subscription = match &mut self.subscription {
                Some(subscription) => subscription,
                None => {
                    let opened = self.open().await?;
                    self.subscription.insert(opened)
                }
            };
            match subscription.next().await {
                Some(text) => {
                    self.backoff.reset();
                    if let Ok(event) = serde_json::from_str(text.get()) {
                        return Ok(Some((text, event)));
                    }
                }
                None => {
                    self.subscription = None;
                    let (_, pause) = self.backoff.pause();
                    sleep(pause).await;
                    return Ok(None);
                }
            }
        }
    }

    /// Returns whether [`HostFeed::next`] would return without waiting.
    pub(in crate::commands) fn is_ready(&self) -> bool {
        self.subscription
            .as_ref()
            .is_some_and(Subscription::is_ready)
    }

    async fn open(&self) -> Result<Subscription, ClientError> {
        let deadline = Instant::now() + PATIENCE;
        let mut backoff = Backoff::default();
        loop {
            match self.subscribe().await {
                Err(error) if error.may_pass() && Instant::now() < deadline => {
                    let (_, pause) = backoff.pause();
                    sleep(pause).await;
                }
                opened => return opened,
            }
        }
    }

    async fn subscribe(&self) -> Result<Subscription, ClientError> {
        self.link.connect_identified().await?.subscribe_host().await
    }
}
