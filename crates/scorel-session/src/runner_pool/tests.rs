use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use scorel_engine::{
    RunnerAnswer, RunnerError, RunnerEvent, RunnerExit, RunnerInput, RunnerLink, RunnerStart,
    ServiceReply,
};
use scorel_proto::SessionId;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use super::*;

/// A link whose events the test sends, and whose end it counts.
struct TestLink {
    start: RunnerStart,
    events: mpsc::Receiver<RunnerEvent>,
    released: Arc<watch::Sender<usize>>,
}

impl RunnerLink for TestLink {
    fn start(&self) -> &RunnerStart {
        &self.start
    }

    fn prompt(&mut self, _: Vec<RunnerInput>) -> Result<(), RunnerError> {
        Ok(())
    }

    fn next(&mut self) -> BoxFuture<'_, Result<RunnerEvent, RunnerError>> {
        async {
            match self.events.recv().await {
                Some(event) => Ok(event),
                None => std::future::pending().await,
            }
        }
        .boxed()
    }

    fn answer(&mut self, _: &str, _: RunnerAnswer) -> Result<(), RunnerError> {
        Ok(())
    }

    fn takes_steers(&self) -> bool {
        false
    }

    fn served(&mut self, _: &str, _: Result<ServiceReply, String>) -> Result<(), RunnerError> {
        Ok(())
    }

    fn steer(&mut self, _: Vec<RunnerInput>) -> Result<bool, RunnerError> {
        Ok(false)
    }

    fn interrupt(&mut self) -> Result<bool, RunnerError> {
        Ok(false)
    }

    fn is_reusable(&self) -> bool {
        true
    }

    fn release(self: Box<Self>) -> BoxFuture<'static, RunnerExit> {
        self.released.send_modify(|count| *count += 1);
        std::future::ready(RunnerExit::default()).boxed()
    }
}

/// A pool with what its test needs beside it.
struct TestPool {
    pool: RunnerPool,
    tasks: TaskTracker,
    released: Arc<watch::Sender<usize>>,
}

impl TestPool {
    fn new() -> Self {
        Self {
            pool: RunnerPool::new(),
            tasks: TaskTracker::new(),
            released: Arc::new(watch::Sender::new(0)),
        }
    }

    /// Keeps a link for a session. The sender is its process.
    async fn keep(&self, session: SessionId) -> mpsc::Sender<RunnerEvent> {
        let place = self.pool.admit().await;
        self.keep_in(session, place)
    }

    fn keep_in(&self, session: SessionId, place: ProcessPermit) -> mpsc::Sender<RunnerEvent> {
        let (process, events) = mpsc::channel(8);
        let link = Box::new(TestLink {
            start: RunnerStart {
                command: Vec::new(),
                directory: "/".into(),
                version: None,
                resumed: false,
                context_id: None,
            },
            events,
            released: Arc::clone(&self.released),
        });
        let placed = PooledLink { link, place };
        let time = Duration::from_secs(300);
        self.pool
            .keep(&self.tasks, session, key("c1"), placed, time);
        process
    }

    /// Waits until so many links have ended. Less long than one is kept: the clock is paused, and goes on
    /// when nothing else does.
    async fn ended(&self, links: usize) {
        let mut released = self.released.subscribe();
        let ended = released.wait_for(|count| *count == links);
        let ended = timeout(Duration::from_secs(1), ended).await;
        ended.expect("they end").expect("the pool is there");
    }
}

fn key(context: &str) -> LinkKey {
    LinkKey {
        runner: "codex".to_owned(),
        context: context.to_owned(),
        settings_hash: 7,
    }
}

#[tokio::test(start_paused = true)]
async fn a_link_is_kept_for_a_turn_in_the_same_context() {
    let test = TestPool::new();
    let session = SessionId::generate();
    let process = test.keep(session).await;
    let note = RunnerEvent::Log {
        stream: scorel_proto::RunnerLogStream::Notice,
        text: "by the way".to_owned(),
    };
    process.try_send(note).unwrap();
    assert!(test.pool.take(session, &key("c1")).await.is_some());
    assert!(test.pool.take(session, &key("c1")).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn a_turn_in_another_context_ends_it() {
    let test = TestPool::new();
    let session = SessionId::generate();
    let _process = test.keep(session).await;
    assert!(test.pool.take(session, &key("c2")).await.is_none());
    test.ended(1).await;
}

#[tokio::test(start_paused = true)]
async fn one_that_does_something_meanwhile_ends() {
    let test = TestPool::new();
    let session = SessionId::generate();
    let process = test.keep(session).await;
    let text = RunnerEvent::Text {
        delta: "hello".to_owned(),
    };
    process.try_send(text).unwrap();
    test.ended(1).await;
    assert!(test.pool.take(session, &key("c1")).await.is_none());
}

#[tokio::test(start_paused = true)]
async fn one_that_never_pauses_ends() {
    let test = TestPool::new();
    let process = test.keep(SessionId::generate()).await;
    let mut notes = 0;
    while process.send(RunnerEvent::Progress).await.is_ok() {
        notes += 1;
    }
    test.ended(1).await;
    // The last ones were sent, and not read.
    assert!(
        (MAX_NOTES / NOTE..MAX_NOTES / NOTE + 20).contains(&notes),
        "{notes}"
    );
}

#[tokio::test(start_paused = true)]
async fn its_time_is_limited() {
    let test = TestPool::new();
    let _process = test.keep(SessionId::generate()).await;
    // The task begins to wait.
    tokio::task::yield_now().await;
    tokio::time::advance(Duration::from_secs(301)).await;
    test.ended(1).await;
}

#[tokio::test(start_paused = true)]
async fn the_oldest_gives_way_to_the_fifth_and_all_to_the_end() {
    let test = TestPool::new();
    let sessions: Vec<SessionId> = (0..5).map(|_| SessionId::generate()).collect();
    let mut processes = Vec::new();
    for session in &sessions {
        processes.push(test.keep(*session).await);
    }
    test.ended(1).await;
    assert!(test.pool.take(sessions[0], &key("c1")).await.is_none());
    test.pool.close();
    test.ended(5).await;
    // A turn that ends while the daemon stops.
    let _process = test.keep(sessions[0]).await;
    test.ended(6).await;
}

#[tokio::test(start_paused = true)]
async fn a_turn_waits_for_a_place_and_a_kept_process_gives_its_own() {
    let test = TestPool::new();
    let _process = test.keep(SessionId::generate()).await;
    let mut taken = Vec::new();
    for _ in 0..MAX_PROCESSES - 1 {
        taken.push(test.pool.admit().await);
    }
    taken.push(test.pool.admit().await);
    test.ended(1).await;
    assert!(test.pool.admit().now_or_never().is_none());
    drop(taken);
    assert!(test.pool.admit().now_or_never().is_some());
}

#[tokio::test(start_paused = true)]
async fn nothing_is_kept_while_a_turn_waits_for_a_place() {
    let test = TestPool::new();
    let mut taken = Vec::new();
    for _ in 0..MAX_PROCESSES - 1 {
        taken.push(test.pool.admit().await);
    }
    let place = test.pool.admit().await;
    let mut waiting = Box::pin(test.pool.admit());
    assert!(waiting.as_mut().now_or_never().is_none());
    let session = SessionId::generate();
    let _process = test.keep_in(session, place);
    waiting.await;
    test.ended(1).await;
}
