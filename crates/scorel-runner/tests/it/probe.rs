//! The time that other tasks of a thread wait.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use tokio::task::yield_now;

/// The longest wait of others, 99 times of 100: a fifth of the time that a flood goes on, and many times of that
/// which a piece of it takes in a build without optimisation.
const P99: Duration = Duration::from_millis(60);

/// Does some work beside a task that is always ready, and measures how long that waits for its turn. The
/// error is the wait of one that comes at any moment, 99 times of 100.
///
/// The runtime has one thread, and the clock is the time that this thread has run: all that it does for
/// others counts, and what else the machine does counts not.
pub(crate) async fn beside<T>(work: impl Future<Output = T>) -> Result<T, Duration> {
    let waits = Arc::new(Mutex::new(Vec::new()));
    let probe = tokio::spawn({
        let waits = Arc::clone(&waits);
        async move {
            loop {
                let from = thread_time();
                yield_now().await;
                waits.lock().unwrap().push(thread_time() - from);
            }
        }
    });
    let done = work.await;
    probe.abort();
    let mut waits = std::mem::take(&mut *waits.lock().unwrap());
    waits.sort();
    // One that comes at any moment meets a long wait more often than a short one.
    let total: Duration = waits.iter().sum();
    let mut within = Duration::ZERO;
    let p99 = waits.into_iter().find(|wait| {
        within += *wait;
        within >= total.mul_f64(0.99)
    });
    match p99 {
        Some(p99) if p99 > P99 => Err(p99),
        _ => Ok(done),
    }
}

fn thread_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
        .unwrap()
        .into()
}
