//! Ends a daemon that has had nothing to do for `[service] idleExitSeconds`.

use std::time::Duration;

use scorel_exec::Supervisors;
use scorel_host::{Host, Shutdown, ShutdownCause};
use tokio::time::{Instant, sleep};

/// How often a daemon without an idle exit checks whether one is configured by now.
const LOOK: Duration = Duration::from_secs(60);

/// The shortest and the longest pause between checks of a daemon with an idle exit.
const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(5);

/// Begins the shutdown once the daemon has been idle for as long as is configured, and returns then.
/// To be started after the recovery, whose turns are work.
pub(crate) async fn exit_when_idle(host: &Host, commands: &Supervisors, shutdown: &Shutdown) {
    let mut idle_since = None;
    loop {
        // Read each time: a change applies at once.
        let Some(limit) = host.config().service.idle_exit else {
            idle_since = None;
            sleep(LOOK).await;
            continue;
        };
        if host.is_idle() && commands.count() == 0 {
            let since: &mut Instant = idle_since.get_or_insert_with(Instant::now);
            if since.elapsed() >= limit {
                return shutdown.begin(ShutdownCause::Idle);
            }
        } else {
            idle_since = None;
        }
        sleep((limit / 8).clamp(SHORTEST, LONGEST)).await;
    }
}
