use std::time::Duration;

use tokio::time::Instant;

/// Lines that go to the daemon's log in a [`SECOND`]; the rest is counted.
const LINES: u32 = 100;

const SECOND: Duration = Duration::from_secs(1);

/// Bounds the lines that one program adds to the log.
pub(crate) struct LogPace {
    since: Instant,
    logged: u32,
    dropped: u64,
}

impl LogPace {
    pub(crate) fn new() -> Self {
        Self {
            since: Instant::now(),
            logged: 0,
            dropped: 0,
        }
    }

    /// Returns whether a line may be logged now.
    fn admit(&mut self, now: Instant) -> bool {
        if now.duration_since(self.since) >= SECOND {
            self.since = now;
            self.logged = 0;
        }
        let admitted = self.logged < LINES;
        match admitted {
            true => self.logged += 1,
            false => self.dropped += 1,
        }
        admitted
    }

    pub(crate) fn log(&mut self, name: &str, line: &[u8]) {
        if self.admit(Instant::now()) {
            self.end(name);
            let line = String::from_utf8_lossy(line);
            // As a quoted text: what a program says must not look like the daemon's own lines.
            tracing::info!(process = name, line = ?line.trim_end(), "a process says");
        }
    }

    pub(crate) fn end(&mut self, name: &str) {
        let dropped = std::mem::take(&mut self.dropped);
        if dropped > 0 {
            tracing::warn!(
                process = name,
                dropped,
                "a process says more than is logged"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_hundred_lines_a_second_are_logged_and_the_rest_is_counted() {
        let mut pace = LogPace::new();
        let admitted = (0..250).filter(|_| pace.admit(Instant::now())).count();
        assert_eq!((admitted, pace.dropped), (100, 150));
        tokio::time::advance(SECOND).await;
        assert!(pace.admit(Instant::now()));
    }
}
