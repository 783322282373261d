//! Sessions as the daemon uses them: real files, a model and tools under the tests' control.

mod anchors;
mod cancel;
mod checkpoint;
mod crash;
mod damage;
mod delete;
mod disk;
mod drain;
mod follow;
mod follower;
mod host;
mod listing;
mod loading;
mod log;
mod numbers;
mod outcomes;
mod pages;
mod queue;
mod receipts;
mod rig;
mod script;
mod send;
mod stage;
mod stalled;
mod turns;
