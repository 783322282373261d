use scorel_proto::{SubscriptionId, UnsubscribeParams};
use serde_json::value::RawValue;

use super::Connection;
use super::reader::Items;

/// The items of one subscription, as JSON. Dropping it ends the subscription.
#[derive(Debug)]
pub struct Subscription {
    connection: Connection,
    id: SubscriptionId,
    items: Items,
    unsubscribe: &'static str,
}

impl Subscription {
    pub(super) const fn new(
        connection: Connection,
        id: SubscriptionId,
        items: Items,
        unsubscribe: &'static str,
    ) -> Self {
        Self {
            connection,
            id,
            items,
            unsubscribe,
        }
    }

    /// The next item; nothing once the connection has ended. Safe to cancel.
    pub async fn next(&mut self) -> Option<Box<RawValue>> {
        self.items.recv().await
    }

    /// Whether the next item is here already.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        !self.items.is_empty()
    }

    /// The connection that the items come from.
    #[must_use]
    pub const fn connection(&self) -> &Connection {
        &self.connection
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        // The reader may wait for room here; without a receiver it goes on.
        self.items.close();
        let params = UnsubscribeParams {
            subscription: std::mem::take(&mut self.id),
        };
        self.connection.notify(self.unsubscribe, &params);
    }
}
