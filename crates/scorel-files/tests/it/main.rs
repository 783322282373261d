//! Recording and restoring on real files.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot go on has failed, and says what it skips"
)]

mod denied;
mod full_disk;
mod kills;
mod project;
mod restoring;
mod watching;
