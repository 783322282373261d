//! Runs of workflows, with the real daemon.

mod answers;
mod audit;
mod autopilot;
mod calls;
mod demonstrated;
mod documents;
mod limits;
mod foreign_runners;
mod guarded;
mod broken;
mod full_disk;
mod hostile_texts;
mod engine_turns;
mod modes;
mod packages;
mod published_skill;
mod reference_run;
mod resume;
mod scene;
mod side_by_side;
mod script;
mod start;
mod told_again;
mod tools;
mod worktree;
mod two_clients;

pub(crate) use scene::write_package;
