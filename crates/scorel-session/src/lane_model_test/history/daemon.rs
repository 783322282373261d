//! The daemon dies, stops, or unloads the session, and the session comes back.

use std::time::Duration;

use super::{FOREVER, History, daemon};
use crate::lane_model_test::reference::Due;

impl History {
    /// The daemon is killed: what it had in memory is gone, what it wrote is there.
    pub(super) async fn crash(&mut self) {
        // A section that has begun ends first.
        drop(self.lane().lock().await);
        self.disk = self.disk.crashed(false, &mut self.dice);
        self.reference.crash();
        self.replace_daemon().await;
    }

    /// The daemon stops in order, and another one starts.
    pub(super) async fn stop(&mut self) {
        if matches!(self.reference.due(), Due::Tools(_)) {
            // It would wait for them until its grace is over, and then be killed.
            return self.crash().await;
        }
        assert!(self.sessions.drain(FOREVER).await);
        self.reference.stop();
        self.replace_daemon().await;
    }

    async fn replace_daemon(&mut self) {
        let (sessions, end) = daemon(self.traits, &self.disk, self.project.clone());
        let sessions = std::mem::replace(&mut self.sessions, sessions);
        let end = std::mem::replace(&mut self.end, end);
        let held = (sessions, end, self.lane.take(), self.call.take());
        self.dead
            .push(Box::new((held, std::mem::take(&mut self.runs))));
        for client in &mut self.clients {
            client.disconnected();
        }
        self.lane = Some(self.sessions.get(self.id).await.expect("loaded"));
    }

    /// The session leaves memory if it may, and is loaded again.
    pub(super) async fn unload(&mut self) {
        self.lane = None;
        for client in &mut self.clients {
            client.disconnected();
        }
        let settled = tokio::time::timeout(Duration::from_millis(1), std::future::pending::<()>());
        if !self.reference.is_busy() {
            // What a job's task still holds of the lane is gone when nothing is left to run.
            let _ = settled.await;
        }
        self.sessions.sweep().await;
        if !self.reference.is_busy() {
            assert_eq!(self.sessions.loaded_count(), 0, "an unused session stays");
        }
        self.lane = Some(self.sessions.get(self.id).await.expect("loaded"));
    }
}
