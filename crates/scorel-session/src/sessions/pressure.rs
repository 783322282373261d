//! Unloading sessions before the process runs out of file descriptors.

use std::sync::Arc;

use scorel_proto::SessionId;
use tokio::time::Instant;

use super::{LaneSlot, Sessions};
use crate::Lane;

/// The part of the loaded sessions that is unloaded at a time: often enough, each load would pay for
/// the synced write of the active list.
const BATCH: usize = 8;

impl Sessions {
    /// Unloads the sessions that were used longest ago, if more are loaded than may stay in memory.
    pub(super) async fn make_room(&self) {
        let max = self.shared.settings.max_loaded;
        if self.loaded_count() > max {
            let _one = self.unloading.lock().await;
            // Another load may have made room meanwhile.
            let excess = self.loaded_count().saturating_sub(max);
            if excess > 0 {
                self.unload_oldest(excess + max / BATCH).await;
            }
        }
    }

    /// Unloads a part of the idle sessions, because too many files are open.
    pub(super) async fn relieve(&self) {
        let _one = self.unloading.lock().await;
        let unloaded = self
            .unload_oldest(self.loaded_count().div_ceil(BATCH))
            .await;
        if unloaded > 0 {
            tracing::warn!(
                unloaded,
                "too many files are open; idle sessions were unloaded"
            );
        }
    }

    /// Unloads up to `count` sessions and returns how many.
    async fn unload_oldest(&self, count: usize) -> usize {
        let mut unloaded = 0;
        for id in self.oldest_unused() {
            if unloaded == count {
                break;
            }
            if let Some(lane) = self.loaded_lane(id) {
                let left = lane.section(|section| {
                    section.leave_active_if_idle();
                    section.checkpoint();
                });
                if left.await.is_err() {
                    continue;
                }
            }
            let gone = self.unload_if(id, |slot| self.is_unused(slot)).await;
            unloaded += usize::from(gone);
        }
        self.tidy_active().await;
        unloaded
    }

    /// The sessions that nothing uses, the one that was used longest ago first.
    fn oldest_unused(&self) -> Vec<SessionId> {
        let loaded = self.loaded.lock();
        let free = loaded.iter().filter(|(_, slot)| slot.is_free());
        let mut free: Vec<(Instant, SessionId)> =
            free.map(|(id, slot)| (slot.last_used(), *id)).collect();
        free.sort_unstable();
        free.into_iter().map(|(_, id)| id).collect()
    }
}

impl LaneSlot {
    /// Returns whether only the map refers to the lane, and no job runs in it.
    pub(super) fn is_free(self: &Arc<Self>) -> bool {
        let free = |lane: &Arc<Lane>| Arc::strong_count(lane) == 1 && !lane.has_job();
        Arc::strong_count(self) == 1 && self.lane.get().is_some_and(free)
    }
}
