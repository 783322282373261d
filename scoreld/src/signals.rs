//! Signals: the first SIGTERM or SIGINT begins shutdown, the second exits at once. SIGHUP is ignored:
//! closing the terminal must not stop sessions.

use std::io;
use std::process;
use std::thread;

use scorel_host::{Shutdown, ShutdownCause};
use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing::{info, warn};

/// Installs the handlers and handles signals in a thread of its own: the daemon's runtime may hang.
pub(crate) fn listen(shutdown: Shutdown) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let entered = runtime.enter();
    let signals = Signals {
        terminate: signal(SignalKind::terminate())?,
        interrupt: signal(SignalKind::interrupt())?,
        hangup: signal(SignalKind::hangup())?,
    };
    drop(entered);
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || runtime.block_on(handle(signals, shutdown)))?;
    Ok(())
}

async fn handle(mut signals: Signals, shutdown: Shutdown) {
    shutdown.begin(signals.next().await);
    let second = signals.next().await;
    warn!(cause = ?second, "ended by a second signal");
    end_at_once(second);
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    /// The next SIGTERM or SIGINT.
    async fn next(&mut self) -> ShutdownCause {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return ShutdownCause::Terminate,
                _ = self.interrupt.recv() => return ShutdownCause::Interrupt,
                _ = self.hangup.recv() => info!("SIGHUP ignored"),
            }
        }
    }
}

/// Exits with the code that shells report for death by this signal: 128 + its number.
#[expect(
    clippy::exit,
    reason = "a user who asks twice does not want to wait for anything"
)]
fn end_at_once(cause: ShutdownCause) -> ! {
    process::exit(match cause {
        ShutdownCause::Interrupt => 130,
        ShutdownCause::Terminate
        | ShutdownCause::Request
        | ShutdownCause::Park
        | ShutdownCause::Idle
        | ShutdownCause::SocketReplaced
        | ShutdownCause::HomeLost => 143,
    })
}

#[cfg(test)]
mod tests;
