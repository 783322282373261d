//! A model endpoint for tests: a real HTTP/1.1 server with scripted responses.
//!
//! Written on a plain socket instead of an HTTP library, so that a test decides which bytes go into
//! which write and where the connection breaks.

mod chat;
mod connection;
mod gate;
mod request;
mod response;
mod state;

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::task::JoinSet;

pub use chat::ScriptedChat;
pub use gate::ResponseGate;
pub use request::RecordedRequest;
pub use response::ScriptedResponse;

use crate::canary::check;
use state::{ResponseMaker, ServerState};

/// A model endpoint on a free port of 127.0.0.1.
///
/// Every request is recorded and gets the next scripted response. After the last one it gets what
/// [`ModelServer::answer_with`] makes, else the fallback, else status 500. Dropping the server closes
/// its connections.
///
/// ```
/// # use scorel_testkit::{ScriptedResponse, ModelServer};
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let server = ModelServer::start().await.unwrap();
/// server.answer(ScriptedResponse::chat().tool_call("call_1", "Glob", r#"{"pattern":"*"}"#).finish("tool_calls"));
/// server.answer(ScriptedResponse::chat().text("two files").usage(120, 3).finish("stop"));
/// assert!(server.base_url().starts_with("http://127.0.0.1:"));
/// # });
/// ```
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<ServerState>,
    _accept: JoinSet<()>,
}

impl ModelServer {
    /// Binds a free port and serves it on the current tokio runtime.
    ///
    /// # Errors
    /// No port can be bound.
    pub async fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let state = Arc::new(ServerState::default());
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, Arc::clone(&state)));
        Ok(Self {
            address,
            state,
            _accept: tasks,
        })
    }

    /// The base URL for a model's configuration: `http://127.0.0.1:PORT/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Appends a response to the script.
    pub fn answer(&self, answer: impl Into<ScriptedResponse>) -> &Self {
        self.state.script().answers.push_back(answer.into());
        self
    }

    /// Sets the response for requests after the end of the script.
    pub fn fallback(&self, answer: impl Into<ScriptedResponse>) -> &Self {
        self.state.script().fallback = Some(answer.into());
        self
    }

    /// Sets a function that answers requests after the end of the script.
    pub fn answer_with(
        &self,
        make: impl FnMut(&RecordedRequest) -> ScriptedResponse + Send + 'static,
    ) -> &Self {
        self.state.script().make = Some(ResponseMaker(Box::new(make)));
        self
    }

    /// The number of scripted responses left.
    pub fn remaining(&self) -> usize {
        self.state.script().answers.len()
    }

    /// All requests so far, in the order of their arrival.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.state.requests.borrow().clone()
    }

    /// All requests since the last time, which are not kept any longer.
    pub fn take_requests(&self) -> Vec<RecordedRequest> {
        let mut taken = Vec::new();
        let take = |requests: &mut Vec<_>| std::mem::swap(requests, &mut taken);
        self.state.requests.send_modify(take);
        taken
    }

    /// Waits until `count` requests have arrived and returns all. There is no timeout.
    pub async fn wait_for_requests(&self, count: usize) -> Vec<RecordedRequest> {
        let mut requests = self.state.requests.subscribe();
        let reached = requests.wait_for(|requests| requests.len() >= count).await;
        reached.map_or_else(|_| Vec::new(), |requests| requests.clone())
    }
}

/// No request may have had a secret of a home.
impl Drop for ModelServer {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let requests = self.state.requests.borrow();
            requests.iter().for_each(|it| check(&it.body, "a request"));
        }
    }
}

async fn accept(listener: TcpListener, state: Arc<ServerState>) {
    let mut connections = JoinSet::new();
    let mut number = 0;
    while let Ok((socket, _)) = listener.accept().await {
        connections.spawn(connection::serve(socket, number, Arc::clone(&state)));
        number += 1;
        while connections.try_join_next().is_some() {}
    }
}
