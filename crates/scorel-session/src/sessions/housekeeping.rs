use std::sync::Arc;
use std::time::Duration;

use scorel_proto::{EndReason, SessionId};
use tokio_util::sync::CancellationToken;

use super::{LaneSlot, Sessions};
use crate::Lane;
use crate::shared::LaneShared;

/// The interval between sweeps.
const PERIOD: Duration = Duration::from_secs(10);

/// The interval between looks into the trash, in milliseconds of the wall clock: a machine that sleeps
/// does not stop it.
const TRASH_PERIOD: u64 = 24 * 60 * 60 * 1000;

impl Sessions {
    /// Sweeps periodically, and when a turn waits for file descriptors, until `stop` fires. Empties the
    /// trash at once and then daily.
    pub async fn housekeep(self: Arc<Self>, stop: CancellationToken) {
        let clock = self.shared.settings.wall_clock.clone();
        let mut emptied = None;
        loop {
            if emptied.is_none_or(|at: u64| clock.now_ms().abs_diff(at) >= TRASH_PERIOD) {
                emptied = Some(clock.now_ms());
                self.empty_trash().await;
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(PERIOD) => self.sweep().await,
                () = self.shared.descriptors_wanted.notified() => self.relieve().await,
            }
        }
    }

    /// Shrinks the rings of idle sessions, drops their windows after a while, unloads unused ones,
    /// writes the catalogue and gives back the memory that turns, windows and sessions have left free.
    pub async fn sweep(&self) {
        for lane in self.lanes() {
            if !lane.has_job() {
                lane.shrink_ring();
            }
        }
        for id in self.shared.windows.expire() {
            if let Some(lane) = self.loaded_lane(id) {
                lane.shrink().await;
            }
        }
        self.leave_active(self.idle_active()).await;
        let mut is_due = self.shared.windows.take_give_back();
        for id in self.unused() {
            if let Some(lane) = self.loaded_lane(id) {
                // Before it leaves the map: afterwards another lane may be loaded on the same log.
                let _ = lane.section(|section| section.checkpoint()).await;
            }
            let may_go = |slot: &Arc<LaneSlot>| self.is_idle(slot) && self.is_unused(slot);
            is_due |= self.unload_if(id, may_go).await;
        }
        let end = move |shared: &Arc<LaneShared>| {
            shared.save_catalog();
            if is_due {
                scorel_memory::give_back();
                scorel_memory::give_back_program();
            }
        };
        let _ = self.on_disk(end).await;
    }

    /// Sessions on the active list that have not been used for a while. Leaving earlier would cost a
    /// synced write of the list with the next message of a conversation.
    fn idle_active(&self) -> Vec<Arc<Lane>> {
        let loaded = self.loaded.lock();
        let idle = loaded.values().filter(|slot| self.is_idle(slot));
        let lanes = idle.filter_map(|slot| slot.lane.get());
        let active = lanes.filter(|lane| self.shared.active.contains(lane.id()));
        active.cloned().collect()
    }

    fn is_idle(&self, slot: &LaneSlot) -> bool {
        slot.last_used().elapsed() >= self.shared.settings.idle_unload
    }

    fn unused(&self) -> Vec<SessionId> {
        let loaded = self.loaded.lock();
        let idle = loaded
            .iter()
            .filter(|(_, slot)| self.is_idle(slot) && self.is_unused(slot));
        idle.map(|(id, _)| *id).collect()
    }

    /// Returns whether the session can be unloaded now.
    pub(super) fn is_unused(&self, slot: &Arc<LaneSlot>) -> bool {
        let lane = slot.lane.get();
        let may_go = |lane: &Arc<Lane>| {
            let runs = lane.opened_resources().is_some_and(|it| it.is_running());
            !runs && !self.shared.active.contains(lane.id())
        };
        slot.is_free() && lane.is_some_and(may_go)
    }

    /// Unloads a session and returns whether it did.
    pub(super) async fn unload_if(
        &self,
        id: SessionId,
        may_go: impl Fn(&Arc<LaneSlot>) -> bool,
    ) -> bool {
        let Some(lane) = self.lane_if(id, &may_go) else {
            return false;
        };
        // While the map has the lane: afterwards another one may be loaded, with the same files.
        let _ = scorel_engine::spawn_blocking(move || lane.end_resources()).await;
        let Some(slot) = self.take_if(id, may_go) else {
            return false;
        };
        // Without the map's lock, for which every call waits: this takes other locks and the disk.
        let free = move |shared: &Arc<LaneShared>| {
            drop(slot);
            shared.windows.remove(id);
        };
        self.on_disk(free).await.is_ok()
    }

    fn lane_if(&self, id: SessionId, may_go: impl Fn(&Arc<LaneSlot>) -> bool) -> Option<Arc<Lane>> {
        let loaded = self.loaded.lock();
        let slot = loaded.get(&id).filter(|slot| may_go(slot))?;
        slot.lane.get().cloned()
    }

    /// New references to the lane come from the map only. So while the map is locked and holds the
    /// last reference, no task can get the lane.
    fn take_if(
        &self,
        id: SessionId,
        may_go: impl FnOnce(&Arc<LaneSlot>) -> bool,
    ) -> Option<Arc<LaneSlot>> {
        let mut loaded = self.loaded.lock();
        loaded.get(&id).filter(|slot| may_go(slot))?;
        loaded.remove(&id)
    }

    async fn work_ends(&self) {
        for lane in self.lanes() {
            // A section that has passed the drain check has started its turn when the lock is free.
            drop(lane.lock().await);
        }
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
    }

    /// Has the running turns stop at their next step boundaries, for the next daemon: no turn begins any
    /// more. Returns whether all work ended within `patience`. To be followed by [`Sessions::drain`].
    pub async fn park(&self, patience: Duration) -> bool {
        self.shared.start_parking();
        for lane in self.lanes() {
            lane.park();
        }
        tokio::time::timeout(patience, self.work_ends())
            .await
            .is_ok()
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
        self.shared.catalog.before_close();
        for lane in self.lanes() {
            if in_time {
                let last = lane.section(|section| {
                    section.announce_if_outdated();
                    section.checkpoint();
                });
                let _ = last.await;
            }
            lane.end_feed(EndReason::ShuttingDown);
        }
        let close = move |shared: &Arc<LaneShared>| match in_time {
            true => shared.close_catalog(),
            false => shared.save_catalog(),
        };
        let _ = self.on_disk(close).await;
        in_time
    }
}
