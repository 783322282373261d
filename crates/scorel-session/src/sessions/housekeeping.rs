use std::sync::{Arc, PoisonError};
use std::time::Duration;

use scorel_proto::{EndReason, SessionId};
use tokio_util::sync::CancellationToken;

use super::{Sessions, Slot};
use crate::Lane;

/// How often idle sessions are looked for.
const PERIOD: Duration = Duration::from_secs(10);

impl Sessions {
    /// Keeps memory small and summaries fresh until `stop` fires.
    pub async fn housekeep(self: Arc<Self>, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(PERIOD) => self.sweep().await,
            }
        }
    }

    /// Shrinks the feeds of idle sessions, unloads those that nobody uses, writes the summaries.
    pub async fn sweep(&self) {
        for lane in self.lanes() {
            if !lane.turn.is_running() {
                lane.feed.shrink();
            }
        }
        self.leave_active(self.idle_active()).await;
        for id in self.unused() {
            if let Some(lane) = self.lane_in_memory(id) {
                // What is derived is written while the lane is still the only writer.
                let _ = lane.section(|lane, state| lane.checkpoint(state)).await;
            }
            self.unload(id);
        }
        let shared = Arc::clone(&self.shared);
        let _ = tokio::task::spawn_blocking(move || shared.save_catalog()).await;
    }

    /// The sessions on the list of active ones that nobody has used for a while. To leave earlier
    /// would mean to enter again, which is slow, with the next message of a conversation.
    fn idle_active(&self) -> Vec<Arc<Lane>> {
        let loaded = self.loaded();
        let idle = loaded.values().filter(|slot| self.is_idle(slot));
        let lanes = idle.filter_map(|slot| slot.lane.get());
        let active = lanes.filter(|lane| self.shared.active.contains(lane.id()));
        active.cloned().collect()
    }

    /// Whether nobody has asked for the session for a while.
    fn is_idle(&self, slot: &Slot) -> bool {
        let last_used = *slot
            .last_used
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        last_used.elapsed() >= self.shared.settings.idle_unload
    }

    /// The sessions that can leave memory.
    fn unused(&self) -> Vec<SessionId> {
        let loaded = self.loaded();
        let idle = loaded.iter().filter(|(_, slot)| self.is_unused(slot));
        idle.map(|(id, _)| *id).collect()
    }

    fn is_unused(&self, slot: &Arc<Slot>) -> bool {
        let Some(lane) = slot.lane.get() else {
            return false;
        };
        self.is_idle(slot)
            && Arc::strong_count(slot) == 1
            && Arc::strong_count(lane) == 1
            && !lane.turn.is_running()
            && !self.shared.active.contains(lane.id())
    }

    /// Whoever wants the lane from now on gets it through the map, so nobody can have it while the
    /// map is locked and the map's reference is the only one.
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
            // A message that was accepted just before has begun its turn by now.
            drop(lane.lock().await);
        }
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
    }

    /// Ends all work: no turn begins any more, running turns are interrupted and get their outcome,
    /// what is derived is written, subscribers are told. Returns whether that was done in time.
    pub async fn drain(&self, grace: Duration) -> bool {
        self.shared.start_draining();
        for lane in self.lanes() {
            lane.turn.interrupt();
        }
        let in_time = tokio::time::timeout(grace, self.work_ends()).await.is_ok();
        if in_time {
            // The next start has nothing to do for those that are at rest.
            self.leave_active(self.lanes()).await;
        }
        for lane in self.lanes() {
            if in_time {
                let _ = lane.section(|lane, state| lane.checkpoint(state)).await;
            }
            lane.feed.end(EndReason::ShuttingDown);
        }
        let shared = Arc::clone(&self.shared);
        let _ = tokio::task::spawn_blocking(move || shared.save_catalog()).await;
        in_time
    }
}
