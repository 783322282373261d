use std::sync::Arc;

use scorel_home::receipts::Effect;
use scorel_proto::{ImportSession, ImportSessionParams, ImportSessionResult, Method, SessionId};
use scorel_rpc::{DuplicateMethod, RpcCall, Table};

use super::caller::command;
use super::register::method;
use crate::host::Host;
use crate::rpc::call_error::CallError;

pub(super) fn register(table: &mut Table<Host>) -> Result<(), DuplicateMethod> {
    method::<ImportSession, _, _>(table, import)
}

/// Waits for the import, which is bounded by the limits of a file, and never for a turn.
async fn import(
    host: Arc<Host>,
    call: RpcCall,
    mut params: ImportSessionParams,
) -> Result<ImportSessionResult, CallError> {
    let id = params.command_id.take();
    let command = command(&call, id, ImportSession::NAME, &params)?;
    let effect = Effect::ImportSession {
        session_id: SessionId::generate(),
        params,
    };
    let session_id = host.mutate(command, effect).await?.session()?;
    Ok(ImportSessionResult {
        session_id,
        session: host.sessions.get(session_id).await?.session()?,
        report: host.sessions.import_report(session_id).await?,
    })
}
