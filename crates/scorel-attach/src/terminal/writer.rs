use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use super::output::{Output, Turn};

/// A thread that writes to the terminal, one frame at a time, so that a slow one keeps nothing else waiting.
#[derive(Debug)]
pub(super) struct Writer {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    output: Arc<Output>,
    slot: Mutex<Slot>,
    is_given: Condvar,
    is_written: Notify,
}

#[derive(Debug, Default)]
struct Slot {
    frame: Option<Frame>,
    /// Set from when a frame is given until all of it is written, or its turn is over.
    is_busy: bool,
    /// The bytes that the terminal has taken.
    taken: usize,
    /// Nothing will be written any more.
    is_over: bool,
}

#[derive(Debug)]
struct Frame {
    turn: Turn,
    bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn new(output: Arc<Output>) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            output,
            slot: Mutex::default(),
            is_given: Condvar::new(),
            is_written: Notify::new(),
        });
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
        let turn = self.shared.output.turn();
        let mut slot = self.shared.slot();
        slot.frame = Some(Frame { turn, bytes });
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

    /// Waits for the same; false if the terminal takes nothing for so long.
    pub(super) async fn written_within(&self, patience: Duration) -> bool {
        loop {
            let before = self.shared.slot().taken;
            if timeout(patience, self.written()).await.is_ok() {
                return true;
            }
            if self.shared.slot().taken == before {
                return false;
            }
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
        while let Some(frame) = self.taken() {
            let is_there = self.put(&frame);
            let mut slot = self.slot();
            slot.is_busy = false;
            slot.is_over |= !is_there;
            self.is_written.notify_waiters();
        }
    }

    /// Waits for a frame; `None` at the end.
    fn taken(&self) -> Option<Frame> {
        let mut slot = self.slot();
        while !slot.is_over {
            if let Some(frame) = slot.frame.take() {
                return Some(frame);
            }
            slot = self
                .is_given
                .wait(slot)
                .unwrap_or_else(PoisonError::into_inner);
        }
        slot.is_busy = false;
        None
    }

    /// Writes the frame as long as it has its turn; false if the terminal is gone, or the program needs no more.
    fn put(&self, frame: &Frame) -> bool {
        let mut bytes = frame.bytes.as_slice();
        while !bytes.is_empty() {
            match self.output.write(frame.turn, bytes) {
                Ok(Some(taken)) => {
                    bytes = &bytes[taken..];
                    self.slot().taken += taken;
                }
                Ok(None) => return true,
                Err(_) => return false,
            }
            if self.slot().is_over {
                return false;
            }
        }
        true
    }

    fn slot(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
