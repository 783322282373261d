use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Semaphore;
use tokio::task::block_in_place;

use crate::blocking_task::{blocking_count, panic_text};
use crate::spawn_blocking;

/// The work that runs in place at a time. Each piece takes a thread away from the async tasks, which go on with
/// one of the threads for blocking work.
const MOST_IN_PLACE: usize = 16;

/// With more blocking work than this, nothing runs in place: a thread has to be left for the async tasks that
/// the work would displace. The daemon has 64 threads for both.
const MOST_BLOCKING: usize = 32;

static PLACES: Semaphore = Semaphore::const_new(MOST_IN_PLACE);

/// Blocking work has no result: it panicked, or did not begin because the Tokio runtime shuts down.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WorkFailed(String);

/// Runs short work that blocks on the thread of the caller, if that has others to take its tasks over, and
/// otherwise on a blocking thread. Waking another thread and being woken by it takes longer than much of the work.
///
/// Nothing else in the caller's task is polled meanwhile, so a connection, which serves all its calls in one
/// task, uses [`spawn_blocking`].
///
/// # Errors
///
/// The work panicked, or did not begin because the Tokio runtime shuts down.
pub async fn run_in_place<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, WorkFailed> {
    run(&PLACES, work).await
}

async fn run<T: Send + 'static>(
    places: &Semaphore,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, WorkFailed> {
    let has_others = Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread;
    if has_others
        && blocking_count() <= MOST_BLOCKING
        && let Ok(_place) = places.try_acquire()
    {
        let done = catch_unwind(AssertUnwindSafe(|| block_in_place(work)));
        return done.map_err(|payload| WorkFailed(panic_text(&*payload)));
    }
    let done = spawn_blocking(work).await;
    done.map_err(|error| match error.try_into_panic() {
        Ok(payload) => WorkFailed(panic_text(&*payload)),
        Err(error) => WorkFailed(error.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use tokio::task::yield_now;

    use super::*;

    /// Returns whether work ran on the thread of its caller.
    async fn stays(places: &'static Semaphore) -> bool {
        let caller = thread::current().id();
        let ran = run(places, move || thread::current().id()).await;
        ran.expect("done") == caller
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn work_stays_on_its_thread_while_there_are_places() {
        static ROOM: Semaphore = Semaphore::const_new(1);
        static FULL: Semaphore = Semaphore::const_new(0);
        let asked = tokio::spawn(async { (stays(&ROOM).await, stays(&FULL).await) });
        assert_eq!(asked.await.expect("asked"), (true, false));
        assert_eq!(ROOM.available_permits(), 1, "the place is free again");
    }

    #[tokio::test]
    async fn a_runtime_with_one_thread_blocks_another() {
        static ROOM: Semaphore = Semaphore::const_new(1);
        assert!(!stays(&ROOM).await);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn other_tasks_go_on() {
        let (tell, told) = mpsc::channel();
        let waiting = tokio::spawn(run_in_place(move || told.recv()));
        let telling = tokio::spawn(async move {
            yield_now().await;
            tell.send("done")
        });
        telling.await.expect("polled").expect("heard");
        let heard = waiting.await.expect("polled").expect("no panic");
        assert_eq!(heard, Ok("done"));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_panic_is_an_error_in_either_place() {
        static ROOM: Semaphore = Semaphore::const_new(1);
        static FULL: Semaphore = Semaphore::const_new(0);
        for places in [&ROOM, &FULL] {
            let failing = tokio::spawn(run(places, || -> u8 { panic!("a defect") }));
            let failed = failing.await.expect("caught").expect_err("a panic");
            assert_eq!(failed.to_string(), "a defect");
        }
        assert_eq!(ROOM.available_permits(), 1, "the place is free again");
    }
}
