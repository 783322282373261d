//! The audit of a run, from records that are written as a session writes them.

mod audit;
mod run_log;
