use std::time::SystemTime;

/// Milliseconds since 1970 by the system's clock, which may stand still or go back.
pub fn now_ms() -> u64 {
    let elapsed = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
}
