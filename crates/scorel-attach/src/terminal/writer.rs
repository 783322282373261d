use std::io::stdout;
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::write;
use tokio::sync::Notify;

/// A terminal takes at least as much at once after it says that it is writable.
const PIECE: usize = 256;

/// A thread that writes to standard output, one frame at a time, so that a slow terminal keeps nothing else waiting.
#[derive(Debug)]
pub(super) struct Writer {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    frame: Mutex<Slot>,
    is_given: Condvar,
    is_written: Notify,
}

#[derive(Debug, Default)]
struct Slot {
    bytes: Option<Vec<u8>>,
    /// Set from when a frame is given until all of it is written.
    is_busy: bool,
    /// Nothing will be written any more.
    is_over: bool,
}

impl Writer {
    pub(super) fn new() -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        thread::Builder::new()
            .name("screen".to_owned())
            .spawn(move || own.run())?;
        Ok(Self { shared })
    }

    /// Returns whether a frame is being written.
    pub(super) fn is_busy(&self) -> bool {
        self.shared.slot().is_busy
    }

    /// Gives the next frame. Only while none is being written.
    pub(super) fn give(&self, bytes: Vec<u8>) {
        let mut slot = self.shared.slot();
        slot.bytes = Some(bytes);
        slot.is_busy = !slot.is_over;
        self.shared.is_given.notify_one();
    }

    /// Waits until no frame is being written.
    pub(super) async fn written(&self) {
        loop {
            let written = self.shared.is_written.notified();
            if !self.is_busy() {
                return;
            }
            written.await;
        }
    }

    /// Waits for the same without a runtime, at most so long.
    pub(super) fn wait(&self, patience: Duration) {
        let until = Instant::now() + patience;
        let mut slot = self.shared.slot();
        while slot.is_busy {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            slot = match self.shared.is_given.wait_timeout(slot, left) {
                Ok((slot, _)) => slot,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // The thread ends by itself; a terminal that takes nothing must not keep the program.
        self.shared.slot().is_over = true;
        self.shared.is_given.notify_all();
    }
}

impl Shared {
    fn run(&self) {
        while let Some(bytes) = self.taken() {
            let is_written = self.put(&bytes);
            let mut slot = self.slot();
            slot.is_busy = false;
            slot.is_over |= !is_written;
            self.is_given.notify_all();
            self.is_written.notify_waiters();
        }
    }

    /// Waits for a frame; `None` at the end.
    fn taken(&self) -> Option<Vec<u8>> {
        let mut slot = self.slot();
        while !slot.is_over {
            if let Some(bytes) = slot.bytes.take() {
                return Some(bytes);
            }
            slot = self
                .is_given
                .wait(slot)
                .unwrap_or_else(PoisonError::into_inner);
        }
        slot.is_busy = false;
        None
    }

    /// Writes all bytes; false if the terminal is gone.
    fn put(&self, mut bytes: &[u8]) -> bool {
        let output = stdout();
        while !bytes.is_empty() {
            let mut fds = [PollFd::new(output.as_fd(), PollFlags::POLLOUT)];
            match poll(&mut fds, PollTimeout::from(100u8)) {
                Ok(0) if self.slot().is_over => return false,
                Ok(0) | Err(Errno::EINTR) => continue,
                Ok(_) => {}
                Err(_) => return false,
            }
            match write(&output, &bytes[..bytes.len().min(PIECE)]) {
                Ok(written) => bytes = &bytes[written..],
                Err(Errno::EINTR | Errno::EAGAIN) => {}
                Err(_) => return false,
            }
        }
        true
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.frame.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
