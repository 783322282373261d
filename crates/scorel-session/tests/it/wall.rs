//! A wall clock that the test sets.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use scorel_session::{SessionSettings, WallClock};
use tokio::time::Instant;

use crate::rig::settings;

/// 2026-11-22 12:00:00 UTC.
pub(crate) const NOON: u64 = 1_795_348_800_000;

/// Runs with tokio's paused time from noon on, and can be set.
#[derive(Debug, Clone)]
pub(crate) struct FakeWall {
    began: Instant,
    set_by_ms: Arc<AtomicI64>,
}

impl FakeWall {
    pub(crate) fn new() -> Self {
        Self {
            began: Instant::now(),
            set_by_ms: Arc::default(),
        }
    }

    /// Settings with this clock, in UTC.
    pub(crate) fn settings(&self) -> SessionSettings {
        let wall = self.clone();
        SessionSettings {
            wall_clock: WallClock::new(move || wall.now_ms()),
            time_zone: Some(jiff::tz::TimeZone::UTC),
            ..settings()
        }
    }

    pub(crate) fn now_ms(&self) -> u64 {
        let ran = u64::try_from(self.began.elapsed().as_millis()).expect("short");
        let set_by = self.set_by_ms.load(Ordering::Relaxed);
        (NOON + ran).saturating_add_signed(set_by)
    }

    pub(crate) fn set_forward(&self, by: Duration) {
        let by = i64::try_from(by.as_millis()).expect("short");
        self.set_by_ms.fetch_add(by, Ordering::Relaxed);
    }

    pub(crate) fn set_back(&self, by: Duration) {
        let by = i64::try_from(by.as_millis()).expect("short");
        self.set_by_ms.fetch_sub(by, Ordering::Relaxed);
    }
}
