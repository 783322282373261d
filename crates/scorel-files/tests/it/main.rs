//! Recording and restoring on real files.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod denied;
mod full_disk;
mod kills;
mod project;
mod restoring;
mod watching;
