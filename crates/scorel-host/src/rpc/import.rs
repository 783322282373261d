use std::sync::Arc;

use scorel_home::receipts::Effect;
use scorel_proto::{ImportSession, ImportSessionParams, ImportSessionResult, SessionId};
use scorel_rpc::RpcCall;

use super::caller::command;
use crate::host::Host;
use crate::rpc::call_error::Reply;

/// Waits for the import, which is bounded by the limits of a file, and never for a turn.
pub(super) async fn import(
    host: Arc<Host>,
    call: RpcCall,
    mut params: ImportSessionParams,
) -> Reply<ImportSessionResult> {
    let command = command::<ImportSession>(&call, params.command_id.take(), &params)?;
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
