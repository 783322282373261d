//! `endWait`.

use std::sync::Arc;

use scorel_proto::{EndWait, EndWaitParams, Method, SeqResult};
use scorel_rpc::{DuplicateMethod, RpcCall, Table};
use scorel_session::WaitEnd;

use super::caller::command;
use super::register::method;
use crate::host::Host;
use crate::rpc::call_error::CallError;

pub(super) fn register(table: &mut Table<Host>) -> Result<(), DuplicateMethod> {
    method::<EndWait, _, _>(table, end_wait)
}

async fn end_wait(
    host: Arc<Host>,
    call: RpcCall,
    mut params: EndWaitParams,
) -> Result<SeqResult, CallError> {
    let id = params.command_id.take();
    let command = command(&call, id, EndWait::NAME, &params)?;
    let lane = host.sessions.get(params.session_id).await?;
    let expected = params.expected_turn_id;
    let seq = lane.mutate(WaitEnd { command, expected }).await?;
    Ok(SeqResult { seq })
}
