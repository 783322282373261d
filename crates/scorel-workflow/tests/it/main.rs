//! Packages from files to plans.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod broken;
mod documents;
mod guarded;
mod own_packages;
mod packages;
mod plans;
mod random_updates;
mod sample;
mod texts;
