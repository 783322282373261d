//! The index over real logs, and scans of them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod corpus;
mod figures;
mod following;
mod queries;
mod search_home;
