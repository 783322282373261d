//! `Bash`, `BashOutput` and `BashStop`: commands of one session.
//!
//! A call of `Bash` becomes a [`PlannedCommand`]: the text, and the directory, already open. The gate
//! judges both and grants an access, and [`Commands`] starts exactly that command in a sandbox that
//! holds it to the access.

mod access;
mod background;
mod bash_arguments;
pub(crate) mod bash_tool;
mod begun_command;
mod commands;
mod foreground;
mod guarded;
mod hidden_by_rules;
mod home_project;
mod listings;
pub(crate) mod output_tool;
mod outside_repository;
mod package_caches;
mod planned;
mod present;
mod reached_limit;
mod recording;
mod repository_access;
mod session_space;
mod settings;
mod standby_slot;
pub(crate) mod stop_tool;
mod stopped;
mod temporary_dir;
mod terminal;

pub use commands::Commands;
pub use package_caches::PackageCaches;
pub use planned::PlannedCommand;
pub use repository_access::RepositoryAccess;
pub use settings::CommandSettings;
pub use terminal::Terminal;
