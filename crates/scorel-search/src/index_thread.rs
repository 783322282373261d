use std::convert::Infallible;
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The thread that keeps the index up to date.
#[derive(Debug)]
pub(crate) struct IndexThread {
    handle: JoinHandle<()>,
    /// Disconnected once the work has returned or panicked: a [`JoinHandle`] cannot be joined with a limit.
    working: Receiver<Infallible>,
}

impl IndexThread {
    pub(crate) fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        let (running, working) = mpsc::channel();
        let thread = thread::Builder::new().name("search-index".to_owned());
        let handle = thread.spawn(move || {
            let _running = running;
            work();
        })?;
        Ok(Self { handle, working })
    }

    /// Waits for the thread's end, up to `limit`. Returns whether it has ended; otherwise it ends with the
    /// process.
    pub(crate) fn wait(self, limit: Duration) -> bool {
        match self.working.recv_timeout(limit) {
            Ok(never) => match never {},
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                if self.handle.join().is_err() {
                    tracing::error!("the thread of the search index has panicked");
                }
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So that a wait without a limit fails the test instead of hanging it.
    const PATIENCE: Duration = Duration::from_secs(120);

    #[test]
    fn a_thread_that_goes_on_is_left_alone_and_one_that_ends_is_waited_for() {
        let (hold, held) = mpsc::channel::<()>();
        let busy = IndexThread::spawn(move || {
            let _released = held.recv_timeout(PATIENCE);
        });
        let busy = busy.unwrap();
        assert!(!busy.wait(Duration::ZERO));
        drop(hold);
        let ended = IndexThread::spawn(|| {}).unwrap();
        assert!(ended.wait(PATIENCE));
    }
}
