use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use tokio::task::{JoinError, JoinHandle};

type Output = Box<dyn Any + Send>;

/// Work on blocking threads, also such that waits for one.
static BLOCKING: AtomicUsize = AtomicUsize::new(0);

/// Work on a blocking thread. It goes on if this is dropped.
pub struct BlockingTask<T> {
    task: JoinHandle<Output>,
    output: PhantomData<fn() -> T>,
}

impl<T> fmt::Debug for BlockingTask<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BlockingTask").field(&self.task).finish()
    }
}

/// As [`tokio::task::spawn_blocking`], which compiles some sixty functions for each type of work. There
/// are more than a hundred, so the work and its result are boxed and the task has one type. A box costs
/// nothing beside a thread's wake-up.
pub fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> BlockingTask<T> {
    BlockingTask {
        task: spawn(Box::new(move || Box::new(work()))),
        output: PhantomData,
    }
}

fn spawn(work: Box<dyn FnOnce() -> Output + Send>) -> JoinHandle<Output> {
    let counted = Counted::new();
    tokio::task::spawn_blocking(move || {
        let _counted = counted;
        work()
    })
}

/// Counts in [`BLOCKING`], also if the work panics or never begins.
struct Counted;

impl Counted {
    fn new() -> Self {
        BLOCKING.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        BLOCKING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The number of pieces of work on blocking threads, with those that wait for one.
pub(crate) fn blocking_count() -> usize {
    BLOCKING.load(Ordering::Relaxed)
}

/// The message of a panic; empty if it has none.
pub(crate) fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_default()
}

impl<T: 'static> Future for BlockingTask<T> {
    /// Fails if the work panicked, or did not begin because the Tokio runtime shuts down.
    type Output = Result<T, JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let output = std::task::ready!(Pin::new(&mut self.task).poll(cx));
        Poll::Ready(output.map(|output| *output.downcast().expect("the work returns a `T`")))
    }
}

#[cfg(test)]
mod tests {
    use super::spawn_blocking;

    #[tokio::test]
    async fn work_returns_its_result_or_its_panic() {
        assert_eq!(spawn_blocking(|| "done".to_owned()).await.unwrap(), "done");
        spawn_blocking(|| ()).await.unwrap();
        let failed = spawn_blocking(|| -> u8 { panic!("a defect") }).await;
        let panic = failed.unwrap_err().into_panic();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"a defect"));
    }
}
