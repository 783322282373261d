//! The index over real logs, and scans of them.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed, and says what it measures"
)]

mod corpus;
mod figures;
mod following;
mod queries;
mod search_home;
