use scorel_client::{Backoff, Connect};
use scorel_proto::HostEvent;
use tokio::sync::mpsc;
use tokio::time::sleep;

/// Events that wait for the screen. The daemon keeps the position of a subscriber that does not read.
const WAITING: usize = 64;

/// An item of the daemon's own feed.
#[derive(Debug)]
pub(crate) enum HostFeedItem {
    Event(Box<HostEvent>),
    /// The connection is lost, and will be made again.
    Lost,
}

/// Follows the daemon itself, for as long as something takes the items.
pub(crate) fn follow_host<C: Connect + Send + 'static>(
    connector: C,
) -> mpsc::Receiver<HostFeedItem> {
    let (sender, items) = mpsc::channel(WAITING);
    tokio::spawn(follow(connector, sender));
    items
}

async fn follow<C: Connect + Send>(mut connector: C, sender: mpsc::Sender<HostFeedItem>) {
    let mut backoff = Backoff::default();
    loop {
        if let Ok(connection) = connector.connect().await
            && let Ok(mut feed) = connection.subscribe_host().await
        {
            while let Some(text) = feed.next().await {
                backoff.reset();
                // An event of a newer daemon is left out.
                if let Ok(event) = serde_json::from_str(text.get())
                    && sender
                        .send(HostFeedItem::Event(Box::new(event)))
                        .await
                        .is_err()
                {
                    return;
                }
            }
        }
        if sender.send(HostFeedItem::Lost).await.is_err() {
            return;
        }
        let (_, pause) = backoff.pause();
        sleep(pause).await;
    }
}
