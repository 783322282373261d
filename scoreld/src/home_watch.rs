use std::time::Duration;

use scorel_home::HomeLock;
use scorel_host::{Shutdown, ShutdownCause};
use tokio::time::{MissedTickBehavior, interval};

/// The interval between looks at the home.
const LOOK: Duration = Duration::from_secs(5);

/// Stops the daemon once `lock` no longer guards the home: writes would go to files without a name,
/// and another daemon could take the home.
pub(crate) async fn watch_home(lock: &HomeLock, shutdown: &Shutdown) {
    let mut looks = interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        looks.tick().await;
        if !lock.is_in_place() {
            shutdown.begin(ShutdownCause::HomeLost);
            return;
        }
    }
}
