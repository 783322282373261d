//! Agents: a session gives tasks, their sessions work, results come back; with the real daemon.

mod bindings;
mod bound_client;
mod cancelled;
mod crash;
mod deletion;
mod delivery;
mod full_disk;
mod graph;
mod hooked;
mod kills;
mod limits;
mod of_runners;
mod questions;
mod quotas;
mod refusals;
mod scene;
mod told;
mod tools;
mod wire;
mod worktrees;
