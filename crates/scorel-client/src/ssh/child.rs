//! A child with which JSON texts are exchanged over its standard streams.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use scorel_peer::TextStream;
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::last_words::read_last;
use crate::dial::text_stream;

/// The time that a child may take to end by itself after its input has ended.
const FAREWELL: Duration = Duration::from_millis(500);

/// The time between SIGTERM and SIGKILL.
const TERM_PATIENCE: Duration = Duration::from_secs(1);

/// The same while the program ends, which waits for it.
const LAST_PATIENCE: Duration = Duration::from_millis(500);

/// The pause between two looks at a child while the program ends.
const LOOK: Duration = Duration::from_millis(5);

/// The end of a child.
#[derive(Debug)]
pub(super) struct ChildEnd {
    pub(super) status: ExitStatus,
    /// The end of its standard error.
    pub(super) said: String,
}

/// Starts a child. It is ended once the stream is dropped; its end is told if it ends by itself, or soon after
/// that.
pub(super) fn start(mut command: Command) -> io::Result<(TextStream, oneshot::Receiver<ChildEnd>)> {
    // In a process group of its own, Ctrl+C at the terminal is for this program only, which may have to
    // cancel a turn over this very connection.
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let missing = || io::Error::other("a pipe is missing");
    let input = child.stdin.take().ok_or_else(missing)?;
    let output = child.stdout.take().ok_or_else(missing)?;
    let errors = child.stderr.take().ok_or_else(missing)?;
    let group = GroupedChild(child);
    let (held, released) = oneshot::channel::<()>();
    let (tell, end) = oneshot::channel();
    let mut stream = text_stream(output, input);
    // `held` lives as long as the stream, and its end is the sign.
    stream.incoming = Box::pin(stream.incoming.inspect(move |_| {
        let _ = &held;
    }));
    tokio::spawn(supervise(group, errors, released, tell));
    Ok((stream, end))
}

async fn supervise(
    mut child: GroupedChild,
    errors: ChildStderr,
    released: oneshot::Receiver<()>,
    tell: oneshot::Sender<ChildEnd>,
) {
    let mut said = Vec::new();
    let status = {
        let ended = wait(&mut child.0, errors, &mut said);
        tokio::pin!(ended);
        tokio::select! {
            status = &mut ended => Some(status),
            _ = released => timeout(FAREWELL, ended).await.ok(),
        }
    };
    let Some(status) = status else {
        return child.end().await;
    };
    if let Ok(status) = status {
        let said = String::from_utf8_lossy(&said).into_owned();
        // Fails if the end is of no interest.
        let _ = tell.send(ChildEnd { status, said });
    }
}

/// Waits for the end, and reads what the child says. That is whole once the pipe is closed, which a process that
/// it left behind may hold open.
async fn wait(
    child: &mut Child,
    errors: ChildStderr,
    said: &mut Vec<u8>,
) -> io::Result<ExitStatus> {
    let reading = read_last(errors, said);
    tokio::pin!(reading);
    let status = tokio::select! {
        status = child.wait() => status,
        () = &mut reading => return child.wait().await,
    };
    let _ = timeout(FAREWELL, reading).await;
    status
}

/// A child that leads a process group, with all that it started there.
struct GroupedChild(Child);

impl GroupedChild {
    async fn end(&mut self) {
        self.signal(Signal::SIGTERM);
        if timeout(TERM_PATIENCE, self.0.wait()).await.is_err() {
            self.signal(Signal::SIGKILL);
            let _ = self.0.wait().await;
        }
    }

    /// Nothing is sent once the child was waited for: its number may be another process by then.
    fn signal(&self, signal: Signal) {
        let group = self.0.id().and_then(|id| i32::try_from(id).ok());
        if let Some(group) = group {
            // Fails if the group has ended.
            let _ = killpg(Pid::from_raw(group), signal);
        }
    }

    fn has_ended(&mut self) -> bool {
        !matches!(self.0.try_wait(), Ok(None))
    }
}

impl Drop for GroupedChild {
    /// Runs with a living child only while the runtime ends, and with it the program: no task could wait
    /// any more.
    fn drop(&mut self) {
        self.signal(Signal::SIGTERM);
        let deadline = Instant::now() + LAST_PATIENCE;
        while !self.has_ended() {
            if Instant::now() >= deadline {
                self.signal(Signal::SIGKILL);
                return;
            }
            thread::sleep(LOOK);
        }
    }
}
