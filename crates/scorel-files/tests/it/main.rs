//! Recording and restoring on real files.

mod full_disk;
mod kills;
mod project;
mod restoring;
mod watching;
