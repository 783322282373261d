//! Recording and restoring on real files.

mod kills;
mod project;
mod restoring;
mod watching;
