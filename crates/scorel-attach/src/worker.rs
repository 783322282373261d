//! The tasks beside the loop: calls, streams that are opened, programs.

use std::collections::VecDeque;

use scorel_client::{Caller, ClientError, Connect};
use scorel_proto::{EventId, Seq, SessionId};
use tokio::task::JoinSet;

use crate::app::Done;
use crate::effect::Effect;
use crate::jobs::{OpenedSession, last_turns, open, rewind_messages, run_program, send};

/// The tasks that run at once. More wait.
const MAX_RUNNING: usize = 16;

/// The tasks that wait. What comes then is dropped, and said.
const MAX_WAITING: usize = 256;

/// The result of a task.
#[derive(Debug)]
pub(crate) enum WorkEnd<C> {
    Done(Box<Done>),
    Opened(Box<OpenedSession<C>>),
}

/// A bounded set of tasks.
#[derive(Debug)]
pub(crate) struct Worker<C> {
    connector: C,
    caller: Caller<C>,
    tasks: JoinSet<WorkEnd<C>>,
    waiting: VecDeque<(Effect, Option<std::path::PathBuf>)>,
    /// Messages are sent one after another, so that they arrive in their order.
    is_sending: bool,
}

impl<C: Connect + Clone + Send + 'static> Worker<C> {
    pub(crate) fn new(connector: C, caller: Caller<C>) -> Self {
        Self {
            connector,
            caller,
            tasks: JoinSet::new(),
            waiting: VecDeque::new(),
            is_sending: false,
        }
    }

    pub(crate) const fn caller(&self) -> &Caller<C> {
        &self.caller
    }

    /// Returns whether nothing runs or waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.tasks.is_empty() && self.waiting.is_empty()
    }

    /// Takes an effect that needs no terminal. Returns false if there are too many.
    pub(crate) fn take(&mut self, effect: Effect, dir: Option<std::path::PathBuf>) -> bool {
        if self.waiting.len() >= MAX_WAITING {
            return false;
        }
        self.waiting.push_back((effect, dir));
        self.start();
        true
    }

    /// The end of the next task; waits for ever without one. Cancel safe.
    pub(crate) async fn next(&mut self) -> WorkEnd<C> {
        let ended = match self.tasks.join_next().await {
            Some(ended) => ended,
            None => std::future::pending().await,
        };
        let ended = ended.unwrap_or_else(|error| {
            self.is_sending = false;
            let text = format!("an error in this program: {error}");
            WorkEnd::Done(Box::new(Done::Ran(Err(text), false)))
        });
        if let WorkEnd::Done(done) = &ended
            && matches!(**done, Done::Sent(_))
        {
            self.is_sending = false;
        }
        self.start();
        ended
    }

    fn start(&mut self) {
        while self.tasks.len() < MAX_RUNNING
            && let Some((effect, dir)) = self.next_effect()
        {
            self.is_sending |= matches!(effect, Effect::Send(_));
            let caller = self.caller.clone();
            let connector = self.connector.clone();
            self.tasks.spawn(work(effect, dir, connector, caller));
        }
    }

    fn next_effect(&mut self) -> Option<(Effect, Option<std::path::PathBuf>)> {
        let is_sending = self.is_sending;
        let is_ready =
            |(effect, _): &(Effect, _)| !is_sending || !matches!(effect, Effect::Send(_));
        let place = self.waiting.iter().position(is_ready)?;
        self.waiting.remove(place)
    }
}

async fn work<C: Connect + Clone + Send + 'static>(
    effect: Effect,
    dir: Option<std::path::PathBuf>,
    connector: C,
    caller: Caller<C>,
) -> WorkEnd<C> {
    let done = match effect {
        Effect::Call(call) => Done::Answer(call.make(&caller).await),
        Effect::Send(message) => Done::Sent(send(*message, &caller).await),
        Effect::Open(id) => match open(connector, &caller, id).await {
            Ok(opened) => return WorkEnd::Opened(Box::new(opened)),
            Err(error) => Done::NotOpened(error),
        },
        Effect::ShowLeaf(id, leaf) => Done::Leaf(id, last_turn(&caller, id, leaf).await),
        Effect::ListMessages(id) => Done::Messages(id, rewind_messages(&caller, id).await),
        Effect::Run { words, pages } => Done::Ran(run_program(words, dir).await, pages),
        other => Done::Ran(Err(format!("{other:?} is no task")), false),
    };
    WorkEnd::Done(Box::new(done))
}

async fn last_turn<C: Connect>(
    caller: &Caller<C>,
    id: SessionId,
    leaf: Option<EventId>,
) -> Result<Vec<scorel_proto::Event>, ClientError> {
    let window = last_turns(caller, id, leaf, Seq::MAX, 1).await?;
    Ok(window.events)
}
