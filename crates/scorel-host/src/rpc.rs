//! The methods: each reads its parameters, asks the host or a lane, and answers. None of them waits
//! for a turn.

mod caller;
mod conversation;
mod host;
mod projects;
mod reading;
mod register;
mod sessions;
mod subscribe;
mod unavailable;

use std::sync::Arc;

use scorel_rpc::{DuplicateMethod, MethodTable, Table};

use crate::host::Host;

/// All methods.
///
/// # Errors
/// Two methods have one name.
pub fn table(context: Arc<Host>) -> Result<Arc<MethodTable>, DuplicateMethod> {
    let mut table = Table::new(context);
    host::register(&mut table)?;
    projects::register(&mut table)?;
    sessions::register(&mut table)?;
    conversation::register(&mut table)?;
    reading::register(&mut table)?;
    subscribe::register(&mut table)?;
    unavailable::register(&mut table)?;
    Ok(table.build())
}
