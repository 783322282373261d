//! Streams that stay open, on which a server tells of changes.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use crate::connection::HttpConnection;
use crate::event_stream::EventStream;
use crate::exchange::{Answered, Ask, LONGEST_PAUSE};
use crate::incoming::{TOOLS_CHANGED, is_events};
use crate::message::Message;

/// The first pause before a stream is opened again.
const PAUSE: Duration = Duration::from_secs(1);

impl HttpConnection {
    /// Keeps a subscription, which is a call that stays open.
    pub(crate) async fn listen(self: Arc<Self>, message: Message) {
        self.keep_listening(|_| Ask::Post(&message)).await;
    }

    /// Hears what a server of the older era says of itself.
    pub(crate) async fn listen_to_session(self: Arc<Self>) {
        self.keep_listening(Ask::Events).await;
    }

    async fn keep_listening<'a>(&self, ask: impl Fn(Option<&'a str>) -> Ask<'a>) {
        let mut pause = PAUSE;
        loop {
            if let Ok(Answered { response, secrets }) =
                self.server.ask(&ask(None), &self.session.now()).await
            {
                if !response.status().is_success() || !is_events(&response) {
                    return;
                }
                let mut events = EventStream::new(response, secrets);
                while let Some(text) = events.next().await {
                    pause = PAUSE;
                    self.say(text).await;
                }
                pause = events.retry.unwrap_or(pause);
            }
            sleep(pause.min(LONGEST_PAUSE)).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
            // Nothing has told of changes meanwhile.
            self.say(TOOLS_CHANGED.to_owned()).await;
        }
    }
}
