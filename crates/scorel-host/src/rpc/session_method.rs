//! Methods that features add.

use std::sync::Arc;

use scorel_proto::{CommandId, Method, SessionId};
use scorel_rpc::{DuplicateMethod, Table};
use scorel_session::{Lane, MutationCommand, SessionError};

use super::caller::command;
use super::register::client_method;
use crate::host::Host;

/// The parameters of a command on a session.
pub trait SessionCommand {
    fn session_id(&self) -> SessionId;

    /// Takes the command id out, since it is no part of what makes two commands the same.
    fn take_command_id(&mut self) -> Option<CommandId>;
}

/// Adds a method by which clients change a session. One without a row in the protocol's table is for callers
/// that may do everything, and is not in the reference.
///
/// # Errors
///
/// There is a method of this name.
pub fn session_method<M, F, R>(table: &mut Table<Host>, handler: F) -> Result<(), DuplicateMethod>
where
    M: Method,
    M::Params: SessionCommand + Sync,
    F: Fn(Arc<Lane>, MutationCommand, M::Params) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Result<M::Result, SessionError>> + Send + 'static,
{
    client_method::<M, _, _>(
        table,
        move |host: Arc<Host>, call, mut params: M::Params| {
            let handler = handler.clone();
            async move {
                let command = command::<M>(&call, params.take_command_id(), &params)?;
                let lane = host.sessions.get(params.session_id()).await?;
                Ok(handler(lane, command, params).await?)
            }
        },
    )
}
