//! The provider over real HTTP.

#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod answers;
mod collected;
mod connection;
mod failures;
mod fixture;
mod recorded;
