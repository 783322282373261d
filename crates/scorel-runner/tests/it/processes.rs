//! Finding processes by a unique number in their command line.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};

/// A number unique to the test, used as the seconds of a long `sleep`.
pub(crate) fn canary() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("8{:08}{n:05}", std::process::id())
}

/// Processes with `canary` in their command line. Zombies have none.
pub(crate) fn with(canary: &str) -> Vec<i32> {
    let entries = fs::read_dir("/proc").unwrap();
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let has = |pid: &i32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(canary)
    };
    pids.filter(has).collect()
}
