use std::sync::Arc;

use scorel_peer::Closed;
use scorel_proto::{SubscriptionId, UnsubscribeParams};
use serde_json::value::{RawValue, to_raw_value};

use super::link::{ConnectionLink, SubscriptionItems};

/// The items of one subscription, as JSON. Dropping it unsubscribes, and keeps the connection open
/// until then.
#[derive(Debug)]
pub struct Subscription {
    link: Arc<ConnectionLink>,
    id: SubscriptionId,
    items: SubscriptionItems,
    unsubscribe: &'static str,
}

impl Subscription {
    pub(super) const fn new(
        link: Arc<ConnectionLink>,
        id: SubscriptionId,
        items: SubscriptionItems,
        unsubscribe: &'static str,
    ) -> Self {
        Self {
            link,
            id,
            items,
            unsubscribe,
        }
    }

    /// The next item; `None` once the connection is closed. Cancel safe.
    pub async fn next(&mut self) -> Option<Box<RawValue>> {
        self.items.recv().await
    }

    /// Whether [`Subscription::next`] would return without waiting.
    pub fn is_ready(&self) -> bool {
        !self.items.is_empty()
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        // The reader may be waiting for room in the channel; closing it lets the reader continue.
        self.items.close();
        let params = UnsubscribeParams {
            subscription: std::mem::take(&mut self.id),
        };
        if let Ok(params) = to_raw_value(&params) {
            // Lost if the outbox is full: a destructor cannot wait.
            let _: Result<(), Closed> = self.link.peer.try_notify(self.unsubscribe, &params);
        }
    }
}
