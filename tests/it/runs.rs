//! Runs of workflows, with the real daemon.

mod audit;
mod autopilot;
mod calls;
mod demonstrated;
mod documents;
mod limits;
mod modes;
mod packages;
mod reference_run;
mod resume;
mod scene;
mod start;
mod tools;
mod worktree;

pub(crate) use scene::write_package;
