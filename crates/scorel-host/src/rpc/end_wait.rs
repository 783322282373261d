//! `endWait`.

use std::sync::Arc;

use scorel_proto::{EndWait, EndWaitParams, SeqResult};
use scorel_rpc::RpcCall;
use scorel_session::WaitEnd;

use super::caller::command;
use crate::host::Host;
use crate::rpc::call_error::Reply;

pub(super) async fn end_wait(
    host: Arc<Host>,
    call: RpcCall,
    mut params: EndWaitParams,
) -> Reply<SeqResult> {
    let command = command::<EndWait>(&call, params.command_id.take(), &params)?;
    let lane = host.sessions.get(params.session_id).await?;
    let expected = params.expected_turn_id;
    let seq = lane.mutate(WaitEnd { command, expected }).await?;
    Ok(SeqResult { seq })
}
