use std::time::Duration;

use scorel_exec::{Run, RunEnd};
use tokio::time::timeout;

/// Time that a program has to end after the end of its input, or of its output.
pub const GOODBYE: Duration = Duration::from_secs(2);

/// Waits for a program to end by itself, and ends all its processes if it does not: SIGTERM, and SIGKILL a
/// second later. Its input should have ended before. Cancel-safe.
pub async fn end_run(run: &Run) -> RunEnd {
    match timeout(GOODBYE, run.wait()).await {
        Ok(end) => end,
        Err(_) => {
            run.stop();
            run.wait().await
        }
    }
}
