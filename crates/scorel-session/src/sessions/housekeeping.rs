use std::sync::{Arc, PoisonError};
use std::time::Duration;

use scorel_proto::{EndReason, SessionId};
use tokio_util::sync::CancellationToken;

use super::{LaneSlot, Sessions};
use crate::Lane;

/// The interval between sweeps.
const PERIOD: Duration = Duration::from_secs(10);

impl Sessions {
    /// Sweeps periodically until `stop` fires.
    pub async fn housekeep(self: Arc<Self>, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(PERIOD) => self.sweep().await,
            }
        }
    }

    /// Shrinks the rings of idle sessions, drops their windows after a while, unloads unused ones and
    /// writes the catalogue.
    pub async fn sweep(&self) {
        for lane in self.lanes() {
            if !lane.has_job() {
                lane.shrink_ring();
            }
        }
        for id in self.shared.windows.expire() {
            if let Some(lane) = self.lane_in_memory(id) {
                lane.shrink().await;
            }
        }
        self.leave_active(self.idle_active()).await;
        for id in self.unused() {
            if let Some(lane) = self.lane_in_memory(id) {
                // Before it leaves the map: afterwards another lane may be loaded on the same log.
                let _ = lane.section(|section| section.checkpoint()).await;
            }
            self.unload(id);
        }
        let shared = Arc::clone(&self.shared);
        let _ = tokio::task::spawn_blocking(move || shared.save_catalog()).await;
    }

    /// Sessions on the active list that have not been used for a while. Leaving earlier would cost a
    /// synced write of the list with the next message of a conversation.
    fn idle_active(&self) -> Vec<Arc<Lane>> {
        let loaded = self.loaded();
        let idle = loaded.values().filter(|slot| self.is_idle(slot));
        let lanes = idle.filter_map(|slot| slot.lane.get());
        let active = lanes.filter(|lane| self.shared.active.contains(lane.id()));
        active.cloned().collect()
    }

    fn is_idle(&self, slot: &LaneSlot) -> bool {
        let last_used = *slot
            .last_used
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        last_used.elapsed() >= self.shared.settings.idle_unload
    }

    fn unused(&self) -> Vec<SessionId> {
        let loaded = self.loaded();
        let idle = loaded.iter().filter(|(_, slot)| self.is_unused(slot));
        idle.map(|(id, _)| *id).collect()
    }

    fn is_unused(&self, slot: &Arc<LaneSlot>) -> bool {
        let Some(lane) = slot.lane.get() else {
            return false;
        };
        self.is_idle(slot)
            && Arc::strong_count(slot) == 1
            && Arc::strong_count(lane) == 1
            && !lane.has_job()
            && !self.shared.active.contains(lane.id())
    }

    /// New references to the lane come from the map only. So while the map is locked and holds the
    /// last reference, no task can get the lane.
    fn unload(&self, id: SessionId) {
        let mut loaded = self.loaded();
        if loaded.get(&id).is_some_and(|slot| self.is_unused(slot)) {
            loaded.remove(&id);
            self.shared.setup.unload(id);
        }
    }

    fn lane_in_memory(&self, id: SessionId) -> Option<Arc<Lane>> {
        self.loaded()
            .get(&id)
            .and_then(|slot| slot.lane.get().cloned())
    }

    async fn work_ends(&self) {
        for lane in self.lanes() {
            // A section that has passed the drain check has started its turn when the lock is free.
            drop(lane.lock().await);
        }
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
    }

    /// Ends all work: no turn begins any more, running turns are interrupted and get their outcome,
    /// derived files are written, subscriptions end. Returns whether the turns ended within `grace`.
    pub async fn drain(&self, grace: Duration) -> bool {
        self.shared.start_draining();
        for lane in self.lanes() {
            lane.interrupt();
        }
        let in_time = tokio::time::timeout(grace, self.work_ends()).await.is_ok();
        if in_time {
            // The next start need not load sessions that are idle now.
            self.leave_active(self.lanes()).await;
        }
        for lane in self.lanes() {
            if in_time {
                let _ = lane.section(|section| section.checkpoint()).await;
            }
            lane.end_feed(EndReason::ShuttingDown);
        }
        let shared = Arc::clone(&self.shared);
        let _ = tokio::task::spawn_blocking(move || shared.save_catalog()).await;
        in_time
    }
}
