//! The tasks of jobs, by kind.

use std::sync::Arc;

use crate::lane::{Job, Lane, RunningJob};
use crate::{compaction, restore, turn};

/// Spawns the task of a job. See [`StartJob`](crate::lane::StartJob).
pub(crate) fn start_job(lane: Arc<Lane>, running: RunningJob) {
    let tasks = lane.tasks().clone();
    match running.job {
        Job::Turn(turn_id) => tasks.spawn(turn::run_job(lane, turn_id, running.stop)),
        Job::Restore(open) => tasks.spawn(restore::run(lane, open, running.stop)),
        Job::Compaction(id) => tasks.spawn(compaction::run_job(lane, id, running.stop)),
    };
}
