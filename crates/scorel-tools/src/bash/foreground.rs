//! Waiting for a command while others look on.

use std::time::Duration;

use scorel_exec::{Run, RunEnd};
use scorel_runtime::ToolUpdates;
use serde_json::json;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

/// How often new output is shown at most.
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// How much of the end of the output is shown while it comes, in bytes.
const SHOWN: usize = 4096;

/// How long a cancelled call waits for its processes. They end soon afterwards, cancelled or not.
const CANCEL_WAIT: Duration = Duration::from_millis(100);

/// How the waiting ended.
#[derive(Debug)]
pub(super) struct Watched {
    /// How the command did; nothing if its processes are still being ended.
    pub(super) end: Option<RunEnd>,
    /// Whether the call was cancelled first.
    pub(super) cancelled: bool,
}

/// Waits for a command's end, and shows its output as it comes.
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
            // The command has ended.
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
