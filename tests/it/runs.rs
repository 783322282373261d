//! Runs of workflows, with the real daemon.

mod audit;
mod autopilot;
mod documents;
mod modes;
mod packages;
mod resume;
mod scene;
mod start;

pub(crate) use scene::write_package;
