//! The tools of a run on real directories.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod documents;
mod editors;
mod faults;
mod files;
mod policy;
mod run;
