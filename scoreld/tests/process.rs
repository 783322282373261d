//! The daemon as a process: what its caller, its service manager and its user see.
#![cfg(test)]

#[path = "process/daemon.rs"]
mod daemon;

#[path = "process/activation.rs"]
mod activation;
#[path = "process/background.rs"]
mod background;
#[path = "process/crafted.rs"]
mod crafted;
#[path = "process/files.rs"]
mod files;
#[path = "process/fsck.rs"]
mod fsck;
#[path = "process/lifecycle.rs"]
mod lifecycle;
#[path = "process/takeover.rs"]
mod takeover;
#[path = "process/units.rs"]
mod units;
