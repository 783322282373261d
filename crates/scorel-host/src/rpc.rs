//! The RPC methods. A handler parses its parameters, asks the host or a lane, and replies; none waits
//! for a turn. `register` adapts typed handlers to the table of `scorel-rpc`, and turns [`CallError`]
//! into the protocol's error.
//!
//! [`CallError`]: call_error::CallError

mod agents;
mod append;
mod attachments;
mod call_error;
mod caller;
mod conversation;
mod end_wait;
mod files;
mod garbage;
mod host;
mod host_agents;
mod import;
mod message_pictures;
mod mutation;
mod projects;
mod reading;
mod register;
mod runners;
mod runtimes;
mod search;
mod session_method;
mod sessions;
mod subscribe;
mod travel;
mod trust;
mod usage;
mod worktrees;

use std::sync::Arc;

use scorel_rpc::{DuplicateMethod, Table};

pub use session_method::{SessionCommand, session_method};

use crate::host::Host;

/// A table of all methods of the protocol, to which features may add theirs.
pub fn table(context: Arc<Host>) -> Result<Table<Host>, DuplicateMethod> {
    let metrics = Arc::clone(&context.metrics);
    let mut table = Table::new(context);
    table.observe(metrics);
    host::register(&mut table)?;
    projects::register(&mut table)?;
    sessions::register(&mut table)?;
    search::register(&mut table)?;
    import::register(&mut table)?;
    conversation::register(&mut table)?;
    travel::register(&mut table)?;
    append::register(&mut table)?;
    end_wait::register(&mut table)?;
    usage::register(&mut table)?;
    files::register(&mut table)?;
    reading::register(&mut table)?;
    subscribe::register(&mut table)?;
    trust::register(&mut table)?;
    runners::register(&mut table)?;
    runtimes::register(&mut table)?;
    agents::register(&mut table)?;
    worktrees::register(&mut table)?;
    Ok(table)
}
