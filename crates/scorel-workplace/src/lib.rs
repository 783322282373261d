//! The place where the work of a session is done: its commands and their environment, the places that are
//! hidden from it, and the git worktrees of agents.

mod commands;
mod environment;
mod hidden_places;
#[cfg(test)]
mod test_config;
pub mod worktrees;

pub use commands::{CommandHost, command_environment};
pub use environment::EnvironmentReport;
pub use hidden_places::HiddenPlaces;
