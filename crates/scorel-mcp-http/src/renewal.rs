//! Another session in place of one that the server has forgotten.

use bytes::Bytes;
use scorel_peer::JsonText;

use crate::connection::HttpConnection;
use crate::event_stream::{EventStream, MAX_TEXT, whole};
use crate::exchange::{Answered, Ask};
use crate::failure::HttpFailure;
use crate::incoming::{TOOLS_CHANGED, answers, is_events};
use crate::message::{INITIALIZED, Message};
use crate::session::HttpSession;

impl HttpConnection {
    /// The session after one that is gone: begun once, for all that found it gone.
    pub(crate) async fn renewed(&self, gone: u64) -> Result<HttpSession, HttpFailure> {
        let _beginning = self.session.beginning.lock().await;
        let session = self.session.now();
        if session.generation > gone {
            return Ok(session);
        }
        let none = HttpSession::default();
        let greeting = Message::new(&text_of(&session.greeting), &self.state.param_headers);
        let id = greeting.id.unwrap_or_default();
        let Answered { response, secrets } = self.server.ask(&Ask::Post(&greeting), &none).await?;
        let headers = response.headers().clone();
        let answer = match is_events(&response) {
            true => {
                let mut events = EventStream::new(response, secrets);
                loop {
                    match events.next().await {
                        Some(text) if answers(&text, id) => break text.into_bytes(),
                        Some(_) => {}
                        None => break Vec::new(),
                    }
                }
            }
            false => whole(response, secrets, MAX_TEXT).await.unwrap_or_default(),
        };
        self.session.begin(greeting.body.clone(), &headers, &answer);
        let session = self.session.now();
        if session.generation == gone {
            let reason = "it has forgotten its session, and begins no other";
            return Err(HttpFailure::Unreachable(reason.to_owned()));
        }
        let text = format!(r#"{{"jsonrpc":"2.0","method":"{INITIALIZED}"}}"#);
        let notice = Message::new(&text.into(), &self.state.param_headers);
        let _told = self.server.ask(&Ask::Post(&notice), &session).await?;
        // Another server may have taken its place.
        self.say(TOOLS_CHANGED.to_owned()).await;
        Ok(session)
    }
}

fn text_of(bytes: &Bytes) -> JsonText {
    JsonText::new(Bytes::new(), bytes.clone(), "")
}
