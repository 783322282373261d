//! Agents: a session gives tasks, their sessions work, results come back; with the real daemon.

mod cancelled;
mod crash;
mod delivery;
mod kills;
mod questions;
mod quotas;
mod refusals;
mod scene;
mod tools;
mod worktrees;
