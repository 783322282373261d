use scorel_client::DaemonHome;

use crate::daemon_lock::DaemonLock;
use crate::failure::Failure;

/// The process of a daemon that holds the home and is not that of the service.
pub(super) fn started_by_hand(
    home: &DaemonHome,
    service: Option<u32>,
) -> Result<Option<u32>, Failure> {
    let holder = DaemonLock::new(home.daemon_lock()).holder()?;
    let holder = holder.and_then(|pid| u32::try_from(pid.as_raw()).ok());
    Ok(holder.filter(|pid| service != Some(*pid)))
}
