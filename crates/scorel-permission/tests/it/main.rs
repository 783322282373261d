//! The permission engine from outside.

mod decisions;
mod fingerprints;
mod grants;
mod ordinary_commands;
mod properties;
mod refused_commands;
mod rules;
mod support;
