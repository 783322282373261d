use std::io::{self, stdin};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal as Number;
use nix::sys::termios::{FlushArg, tcflush};
use nix::unistd::read;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use super::decoder::Decoder;
use super::input::{Ending, Input};
use super::pace::Pace;
use super::screen::Screen;

/// Inputs that wait for the program. The thread reads no more until there is room.
const WAITING: usize = 256;

/// Input of the terminal, and the signals that tell about it.
///
/// A thread reads it. Dropped, the thread has ended, and another program can have the keys.
#[derive(Debug)]
pub struct Keyboard {
    inputs: mpsc::Receiver<(u64, Input)>,
    signals: Signals,
    decoder: Arc<Mutex<Decoder>>,
    /// The number of times that typed input was discarded; changes under the decoder's lock.
    epoch: Arc<AtomicU64>,
    pace: Arc<Pace>,
    is_ending: Arc<AtomicBool>,
    wake: UnixStream,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Signals {
    resize: Signal,
    resumed: Signal,
    terminate: Signal,
    hang_up: Signal,
    interrupt: Signal,
}

impl Keyboard {
    /// Reads standard input, which has to be a terminal in raw mode, and handles the signals.
    ///
    /// # Errors
    ///
    /// There are too many open files or threads.
    pub fn new(screen: &Screen) -> io::Result<Self> {
        let (wake, woken) = UnixStream::pair()?;
        let (sender, inputs) = mpsc::channel(WAITING);
        let decoder = Arc::new(Mutex::new(Decoder::new(Instant::now())));
        let epoch = Arc::new(AtomicU64::new(0));
        let is_ending = Arc::new(AtomicBool::new(false));
        let reader = Reader {
            input: stdin().as_fd().try_clone_to_owned()?,
            woken,
            decoder: Arc::clone(&decoder),
            epoch: Arc::clone(&epoch),
            pace: screen.pace(),
            is_ending: Arc::clone(&is_ending),
            sender,
        };
        let thread = thread::Builder::new()
            .name("keyboard".to_owned())
            .spawn(move || reader.run())?;
        Ok(Self {
            inputs,
            signals: Signals::new()?,
            decoder,
            epoch,
            pace: screen.pace(),
            is_ending,
            wake,
            thread: Some(thread),
        })
    }

    /// The next input. Cancelling loses none.
    pub async fn next(&mut self) -> Input {
        let signals = &mut self.signals;
        loop {
            return tokio::select! {
                biased;
                _ = signals.terminate.recv() => Input::Ended(Ending::Terminate),
                _ = signals.hang_up.recv() => Input::Ended(Ending::HangUp),
                _ = signals.interrupt.recv() => Input::Ended(Ending::Interrupt),
                _ = signals.resumed.recv() => Input::Resumed,
                _ = signals.resize.recv() => Input::Resize,
                input = self.inputs.recv() => match input {
                    Some((epoch, _)) if epoch != self.epoch.load(Ordering::Relaxed) => continue,
                    Some((_, input)) => input,
                    None => Input::Closed,
                },
            };
        }
    }

    /// Forgets what was typed until now and not handled: an answer must not be given before its question is read.
    pub fn discard_typed(&mut self) {
        let mut decoder = decoder(&self.decoder);
        // A terminal that is gone has nothing typed.
        let _ = tcflush(stdin(), FlushArg::TCIFLUSH);
        decoder.discard_typed();
        self.epoch.fetch_add(1, Ordering::Relaxed);
        self.pace.forget();
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        self.is_ending.store(true, Ordering::Relaxed);
        self.inputs.close();
        // The thread sees the end of the stream.
        let _ = self.wake.shutdown(std::net::Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been said.
            let _ = thread.join();
        }
    }
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            resize: signal(SignalKind::window_change())?,
            resumed: signal(SignalKind::from_raw(Number::SIGCONT as i32))?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }
}

/// The thread that reads.
struct Reader {
    input: OwnedFd,
    woken: UnixStream,
    decoder: Arc<Mutex<Decoder>>,
    epoch: Arc<AtomicU64>,
    pace: Arc<Pace>,
    is_ending: Arc<AtomicBool>,
    sender: mpsc::Sender<(u64, Input)>,
}

impl Reader {
    fn run(self) {
        let mut bytes = [0; 4096];
        loop {
            let Some(is_readable) = self.wait() else {
                return;
            };
            let now = Instant::now();
            if !is_readable {
                decoder(&self.decoder).tick(now);
            } else if !self.read(&mut bytes, now) {
                return;
            }
            if !self.hand_on() {
                return;
            }
        }
    }

    /// Waits for bytes or for the decoder's time. `None` if the keyboard is dropped.
    fn wait(&self) -> Option<bool> {
        loop {
            let deadline = decoder(&self.decoder).deadline();
            let timeout = deadline.map_or(PollTimeout::NONE, |deadline| {
                let left = deadline.saturating_duration_since(Instant::now());
                // In whole milliseconds, rounded up, so that the time has come afterwards.
                let left = u16::try_from(left.as_millis()).unwrap_or(u16::MAX - 1) + 1;
                PollTimeout::from(left)
            });
            let mut fds = [
                PollFd::new(self.input.as_fd(), PollFlags::POLLIN),
                PollFd::new(self.woken.as_fd(), PollFlags::POLLIN),
            ];
            let ready = match poll(&mut fds, timeout) {
                Err(Errno::EINTR) => continue,
                Err(_) => return None,
                Ok(ready) => ready,
            };
            if self.is_ending.load(Ordering::Relaxed) {
                return None;
            }
            return Some(ready > 0);
        }
    }

    /// Reads and decodes once; false at the end.
    fn read(&self, bytes: &mut [u8], now: Instant) -> bool {
        let mut decoder = decoder(&self.decoder);
        // The input may have been discarded since; reading would wait for a key with the lock held.
        let mut fds = [PollFd::new(self.input.as_fd(), PollFlags::POLLIN)];
        if matches!(poll(&mut fds, PollTimeout::ZERO), Ok(0)) {
            return true;
        }
        match read(&self.input, bytes) {
            Ok(0) => return false,
            Ok(count) => decoder.feed(&bytes[..count], now),
            Err(Errno::EINTR | Errno::EAGAIN) => {}
            Err(_) => return false,
        }
        if decoder.take_answer() {
            self.pace.answered(now);
        }
        true
    }

    /// Hands on what is decoded; false if the keyboard is dropped.
    fn hand_on(&self) -> bool {
        loop {
            let (input, epoch) = {
                let mut decoder = decoder(&self.decoder);
                (decoder.next(), self.epoch.load(Ordering::Relaxed))
            };
            let Some(input) = input else {
                return true;
            };
            if self.sender.blocking_send((epoch, input)).is_err() {
                return false;
            }
        }
    }
}

fn decoder(shared: &Mutex<Decoder>) -> MutexGuard<'_, Decoder> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
