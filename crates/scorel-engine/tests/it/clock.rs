use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use scorel_engine::Clock;
use tokio::time::Instant;

/// The runtime's time, which the tests pause.
#[derive(Debug)]
pub(crate) struct PausedClock {
    began: Instant,
}

impl PausedClock {
    pub(crate) fn new() -> Self {
        Self {
            began: Instant::now(),
        }
    }
}

impl Clock for PausedClock {
    fn unix_ms(&self) -> u64 {
        u64::try_from(self.now().as_millis()).unwrap()
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        tokio::time::sleep(duration).boxed()
    }
}
