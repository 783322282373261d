//! Runs of workflows, with the real daemon.

mod answers;
mod audit;
mod autopilot;
mod broken;
mod calls;
mod demonstrated;
mod documents;
mod engine_turns;
mod foreign_runners;
mod full_disk;
mod guarded;
mod hostile_texts;
mod killed_starts;
mod limits;
mod modes;
mod packages;
mod published_skill;
mod random_kills;
mod reference_run;
mod resume;
mod scene;
mod script;
mod side_by_side;
mod start;
mod told_again;
mod tools;
mod two_clients;
mod worktree;

pub(crate) use scene::write_package;
