//! The answer to a call, as one text or in a stream of events.

use std::io;
use std::time::Duration;

use tokio::time::sleep;

use crate::connection::HttpConnection;
use crate::event_stream::{EventStream, MAX_TEXT, whole};
use crate::exchange::{Answered, Ask, LONGEST_PAUSE};
use crate::failure::HttpFailure;
use crate::incoming::{answers, error_of, is_events, refused};
use crate::message::{INITIALIZE, Message};

/// Bytes of a refusal that are read.
const REFUSAL: usize = 64 * 1024;

/// The pause before a stream is taken up again, unless the server says another.
const PAUSE: Duration = Duration::from_secs(1);

/// The times that the stream of one answer is taken up again.
const MAX_RESUMED: u32 = 5;

impl HttpConnection {
    /// Passes on what the server answers to a call.
    pub(crate) async fn take_answer(
        &self,
        id: u64,
        message: &Message,
        answered: Answered,
    ) -> Result<(), HttpFailure> {
        let Answered { response, secrets } = answered;
        if response.status().is_success() && is_events(&response) {
            let headers = response.headers().clone();
            let mut events = EventStream::new(response, secrets);
            let mut resumed = 0;
            loop {
                while let Some(text) = events.next().await {
                    if answers(&text, id) {
                        if message.method == INITIALIZE {
                            self.session
                                .begin(message.body.clone(), &headers, text.as_bytes());
                        }
                        self.say(text).await;
                        return Ok(());
                    }
                    self.say(text).await;
                }
                resumed += 1;
                events = self.resumed(events, resumed).await?;
            }
        }
        self.take_whole(id, message, Answered { response, secrets })
            .await
    }

    async fn take_whole(
        &self,
        id: u64,
        message: &Message,
        answered: Answered,
    ) -> Result<(), HttpFailure> {
        let Answered { response, secrets } = answered;
        let (status, headers) = (response.status(), response.headers().clone());
        let limit = if status.is_success() {
            MAX_TEXT
        } else {
            REFUSAL
        };
        let lost = |error: io::Error| HttpFailure::Lost(format!("its answer was lost: {error}"));
        let bytes = whole(response, secrets, limit).await.map_err(lost)?;
        if status.is_success() && bytes.len() > limit {
            let reason = format!("its answer has more than {MAX_TEXT} bytes");
            return Err(HttpFailure::Refused(reason));
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if status.is_success() && answers(&text, id) {
            if message.method == INITIALIZE {
                self.session.begin(message.body.clone(), &headers, &bytes);
            }
            self.say(text).await;
            return Ok(());
        }
        // Some name no call in a refusal.
        let error = error_of(&text).ok_or_else(|| refused(status, &text))?;
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
        self.say(text).await;
        Ok(())
    }

    /// The events after those that came, where the stream can be taken up again.
    async fn resumed(&self, events: EventStream, times: u32) -> Result<EventStream, HttpFailure> {
        let lost = || HttpFailure::Lost("its answer ended before it was whole".to_owned());
        let EventStream { last_id, retry, .. } = events;
        let last = last_id.filter(|_| times <= MAX_RESUMED).ok_or_else(lost)?;
        sleep(retry.unwrap_or(PAUSE).min(LONGEST_PAUSE)).await;
        let ask = Ask::Events(Some(&last));
        let asked = self.server.ask(&ask, &self.session.now()).await;
        // The call was sent, whatever has become of the connection since.
        let Answered { response, secrets } = asked.map_err(|_| lost())?;
        match response.status().is_success() && is_events(&response) {
            true => Ok(EventStream::after(last, retry, response, secrets)),
            false => Err(lost()),
        }
    }
}
