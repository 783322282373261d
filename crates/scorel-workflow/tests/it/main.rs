//! Packages from files to plans.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod broken;
mod documents;
mod packages;
mod plans;
mod sample;
