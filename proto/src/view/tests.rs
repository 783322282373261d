//! The fold, one rule a test.

mod agent_tasks;
mod engine_turns;
mod files;
mod log;
mod open_items;
mod queue;
mod random;
mod runners;
mod runs;
mod tree;
mod turns;
mod unknown;
