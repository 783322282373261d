//! Packages from files to plans.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod broken;
mod broken_documents;
mod documents;
mod guarded;
mod other_readers;
mod own_packages;
mod packages;
mod plans;
mod random_updates;
mod reference_run;
mod sample;
mod texts;
