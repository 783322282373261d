//! Commands that a call waits for.

use std::time::Duration;

use scorel_engine::ToolUpdates;
use scorel_exec::{Run, RunEnd};
use serde_json::json;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

/// The shortest time between two updates.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// The tail of the output in an update, in bytes.
const SHOWN: usize = 4096;

/// The longest time that a cancelled call waits for its processes to end. The supervisor kills them after that too.
const CANCEL_WAIT: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(super) struct Watched {
    /// The command's end; `None` if its processes are still being killed.
    pub(super) end: Option<RunEnd>,
    /// True if the call was cancelled before.
    pub(super) cancelled: bool,
}

/// Waits for a command's end and publishes its output meanwhile.
pub(super) async fn watch(run: &Run, updates: &ToolUpdates, cancel: &CancellationToken) -> Watched {
    tokio::select! {
        biased;
        end = run.wait() => Watched { end: Some(end), cancelled: false },
        () = cancel.cancelled() => {
            run.stop();
            let end = timeout(CANCEL_WAIT, run.wait()).await.ok();
            Watched { end, cancelled: true }
        }
        () = show(run, updates) => unreachable!("it never returns"),
    }
}

async fn show(run: &Run, updates: &ToolUpdates) {
    let mut seen = 0;
    loop {
        run.wait_for_output(seen).await;
        let (bytes, lines) = run.counts();
        if bytes == seen {
            // Woken without new output: the command has ended, and `watch` returns.
            std::future::pending::<()>().await;
        }
        seen = bytes;
        let section = run.window(0, SHOWN);
        let end = if section.tail.is_empty() {
            section.head
        } else {
            section.tail
        };
        updates.send_replace(Some(json!({
            "text": String::from_utf8_lossy(&end),
            "bytes": bytes,
            "lines": lines,
        })));
        sleep_until(Instant::now() + UPDATE_INTERVAL).await;
    }
}
