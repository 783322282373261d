//! The tools, a file each.

pub(crate) mod apply_patch;
pub(crate) mod changed;
pub(crate) mod list;
pub(crate) mod read;
pub(crate) mod search;
pub(crate) mod write;
