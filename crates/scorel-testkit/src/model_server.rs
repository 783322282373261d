//! A model endpoint for tests: a real HTTP/1.1 server that replays scripted answers.

mod answer;
mod chat;
mod connection;
mod gate;
mod request;

use std::collections::VecDeque;
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

pub use answer::Answer;
pub use chat::ChatAnswer;
pub use gate::Gate;
pub use request::RecordedRequest;

/// A model endpoint on a free port of 127.0.0.1.
///
/// Every request is recorded and gets the next scripted answer, in the order in which the answers
/// were given; when none is left, the fallback; without one, status 500 with a body that says so.
/// Dropping the server closes its connections.
///
/// ```
/// # use scorel_testkit::{Answer, ModelServer};
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let server = ModelServer::start().await.unwrap();
/// server.answer(Answer::chat().tool_call("call_1", "Glob", r#"{"pattern":"*"}"#).finish("tool_calls"));
/// server.answer(Answer::chat().text("two files").usage(120, 3).finish("stop"));
/// assert!(server.base_url().starts_with("http://127.0.0.1:"));
/// # });
/// ```
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<State>,
    _accept: JoinSet<()>,
}

impl ModelServer {
    /// Binds a free port and begins to serve, on the current tokio runtime.
    ///
    /// # Errors
    /// When no port can be bound.
    pub async fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::default());
        let mut tasks = JoinSet::new();
        tasks.spawn(accept(listener, Arc::clone(&state)));
        Ok(Self {
            address,
            state,
            _accept: tasks,
        })
    }

    /// The base URL for a model's configuration: `http://127.0.0.1:PORT/v1`.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Where the server listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Adds an answer to the end of the script.
    pub fn answer(&self, answer: impl Into<Answer>) -> &Self {
        self.state.script().answers.push_back(answer.into());
        self
    }

    /// Sets what is answered when the script is at its end.
    pub fn fallback(&self, answer: impl Into<Answer>) -> &Self {
        self.state.script().fallback = Some(answer.into());
        self
    }

    /// Sets who answers when the script is at its end, in place of a fallback.
    pub fn answer_with(
        &self,
        make: impl FnMut(&RecordedRequest) -> Answer + Send + 'static,
    ) -> &Self {
        self.state.script().make = Some(Make(Box::new(make)));
        self
    }

    /// How many scripted answers are left.
    #[must_use]
    pub fn remaining(&self) -> usize {
        self.state.script().answers.len()
    }

    /// All requests so far, in the order in which they came.
    #[must_use]
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.state.requests.borrow().clone()
    }

    /// Waits until `count` requests came in all, then returns all of them.
    ///
    /// The wait has no limit of its own.
    pub async fn wait_for_requests(&self, count: usize) -> Vec<RecordedRequest> {
        let mut requests = self.state.requests.subscribe();
        let reached = requests.wait_for(|requests| requests.len() >= count).await;
        reached.map_or_else(|_| Vec::new(), |requests| requests.clone())
    }
}

/// What the connections share.
#[derive(Debug, Default)]
struct State {
    script: Mutex<Script>,
    requests: watch::Sender<Vec<RecordedRequest>>,
}

#[derive(Debug, Default)]
struct Script {
    answers: VecDeque<Answer>,
    make: Option<Make>,
    fallback: Option<Answer>,
}

/// Makes answers to requests.
struct Make(Box<dyn FnMut(&RecordedRequest) -> Answer + Send>);

impl fmt::Debug for Make {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Make")
    }
}

impl Script {
    fn next(&mut self, request: &RecordedRequest) -> Option<Answer> {
        let scripted = self.answers.pop_front();
        let made = || self.make.as_mut().map(|make| (make.0)(request));
        scripted.or_else(made).or_else(|| self.fallback.clone())
    }
}

impl State {
    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a request and takes its answer.
    fn take(&self, request: RecordedRequest) -> Answer {
        let answer = self.script().next(&request);
        self.requests.send_modify(|requests| requests.push(request));
        answer.unwrap_or_else(|| {
            Answer::json(
                500,
                r#"{"error":{"message":"the test has no answer for this request"}}"#,
            )
        })
    }
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    let mut connections = JoinSet::new();
    let mut number = 0;
    while let Ok((socket, _)) = listener.accept().await {
        connections.spawn(connection::serve(socket, number, Arc::clone(&state)));
        number += 1;
        while connections.try_join_next().is_some() {}
    }
}
