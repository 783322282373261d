use scorel_engine::{RunnerDriver, RunnerOrder};

use super::RunnerTurn;
use crate::runner_pool::LinkKey;

impl RunnerTurn {
    /// The driver on the process that the turn before left, or on a new one; in the context that holds
    /// the conversation so far, if the runner has one.
    pub(super) async fn open(&mut self) -> RunnerDriver {
        let context = self.records.resumable(&self.prepared.directory);
        let order = RunnerOrder {
            directory: self.prepared.directory.clone(),
            context: context.clone(),
            access: self.prepared.access,
            instructions: self.prepared.instructions.clone(),
            tools: self.prepared.tools.clone(),
        };
        let ports = self.prepared.ports.clone();
        let stop = self.task.stop.clone();
        let lane = &self.task.lane;
        let Some(context) = context else {
            lane.runners().end(lane.id());
            return RunnerDriver::new(ports, stop, order);
        };
        let key = LinkKey {
            runner: ports.runner.name().to_owned(),
            context,
            settings_hash: self.prepared.settings_hash,
        };
        match lane.runners().take(lane.id(), &key).await {
            Some(placed) => {
                // The link brings its own permit; the one that the turn waited for is released.
                self.place = placed.place;
                RunnerDriver::on(ports, stop, order, placed.link)
            }
            None => RunnerDriver::new(ports, stop, order),
        }
    }
}
