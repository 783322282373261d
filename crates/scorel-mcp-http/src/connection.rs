use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{sink, stream};
use reqwest::StatusCode;
use scorel_peer::{FrameError, JsonText, TextStream};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

use crate::exchange::Ask;
use crate::failure::HttpFailure;
use crate::message::{CANCELLED, INITIALIZE, INITIALIZED, LISTEN, Message};
use crate::server::HttpServer;
use crate::session::CurrentSession;
use crate::state::HttpState;

/// Texts that wait in each direction.
const QUEUE: usize = 32;

/// The time for what the server need not answer.
const NOTICE: Duration = Duration::from_secs(10);

/// The time for the end of a session.
const GOODBYE: Duration = Duration::from_secs(1);

/// Connects to a server. Nothing is sent before the first text.
pub fn connect(server: HttpServer, state: Arc<HttpState>) -> TextStream {
    let (to_server, outgoing) = mpsc::channel::<JsonText>(QUEUE);
    let (incoming, from_server) = mpsc::channel(QUEUE);
    let connection = Arc::new(HttpConnection {
        server,
        state,
        session: CurrentSession::default(),
        incoming,
    });
    tokio::spawn(connection.run(outgoing));
    let incoming = stream::unfold(from_server, async |mut from_server| {
        let text = from_server.recv().await?;
        Some((text, from_server))
    });
    let outgoing = sink::unfold(to_server, async |to_server, text| {
        let sent = to_server.send(text).await;
        sent.map(|()| to_server)
            .map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
    });
    TextStream::new(incoming, outgoing)
}

#[derive(Debug)]
pub(crate) struct HttpConnection {
    pub(crate) server: HttpServer,
    pub(crate) state: Arc<HttpState>,
    pub(crate) session: CurrentSession,
    incoming: mpsc::Sender<Result<Bytes, FrameError>>,
}

impl HttpConnection {
    /// Sends what comes, until the other end is gone.
    async fn run(self: Arc<Self>, mut outgoing: mpsc::Receiver<JsonText>) {
        let mut tasks = JoinSet::new();
        let mut calls: BTreeMap<u64, AbortHandle> = BTreeMap::new();
        while let Some(text) = outgoing.recv().await {
            while tasks.try_join_next().is_some() {}
            calls.retain(|_, call| !call.is_finished());
            let message = Message::new(&text, &self.state.param_headers);
            match (message.id, message.method.as_str()) {
                (Some(_), LISTEN) => drop(tasks.spawn(Arc::clone(&self).listen(message))),
                (Some(id), _) => {
                    let call = tasks.spawn(Arc::clone(&self).call(id, message));
                    calls.insert(id, call);
                }
                // The messages after it must not overtake it.
                (None, INITIALIZED) => {
                    self.tell(&message).await;
                    if self.session.now().tells_of_lists {
                        tasks.spawn(Arc::clone(&self).listen_to_session());
                    }
                }
                (None, CANCELLED) => {
                    // The end of its stream withdraws a call.
                    let call = message.withdraws().and_then(|id| calls.remove(&id));
                    if let Some(call) = call {
                        call.abort();
                    }
                    if !message.is_stateless && self.session.now().generation > 0 {
                        tasks.spawn(async_tell(Arc::clone(&self), message));
                    }
                }
                (None, _) => drop(tasks.spawn(async_tell(Arc::clone(&self), message))),
            }
        }
        tasks.shutdown().await;
        let session = self.session.now();
        if session.has_id() {
            let _ended = timeout(GOODBYE, self.server.ask(&Ask::Delete, &session)).await;
        }
    }

    async fn call(self: Arc<Self>, id: u64, message: Message) {
        if let Err(failure) = self.answered(id, &message).await {
            let failure = match failure {
                HttpFailure::Login(reason) => HttpFailure::Login(
                    self.state
                        .login_reason(&reason, self.server.login.is_some()),
                ),
                other => other,
            };
            self.say(failure.answer(id)).await;
            if failure.ends() {
                let reason = io::Error::other(failure.reason().to_owned());
                // Fails if the connection is ending.
                let _told = self.incoming.send(Err(reason.into())).await.is_ok();
            }
        }
    }

    /// Has a call answered. One that the server refused for want of its session is made once more, in another.
    async fn answered(&self, id: u64, message: &Message) -> Result<(), HttpFailure> {
        let mut session = self.session.now();
        let mut answered = self.server.ask(&Ask::Post(message), &session).await?;
        let is_gone = answered.response.status() == StatusCode::NOT_FOUND;
        if is_gone && session.has_id() && !message.is_stateless && message.method != INITIALIZE {
            session = self.renewed(session.generation).await?;
            answered = self.server.ask(&Ask::Post(message), &session).await?;
        }
        self.state.answered();
        self.take_answer(id, message, answered).await
    }

    /// Sends what has no answer.
    async fn tell(&self, message: &Message) {
        let session = self.session.now();
        let told = timeout(NOTICE, self.server.ask(&Ask::Post(message), &session)).await;
        if let Ok(Err(failure)) = told {
            tracing::debug!(
                reason = failure.reason(),
                "a notice did not reach an MCP server"
            );
        }
    }

    pub(crate) async fn say(&self, text: String) {
        // Fails if the connection is ending.
        let _said = self.incoming.send(Ok(text.into())).await.is_ok();
    }
}

async fn async_tell(connection: Arc<HttpConnection>, message: Message) {
    connection.tell(&message).await;
}
