use std::sync::LazyLock;

use scorel_proto::{ClientId, CommandId, Method};
use scorel_rpc::RpcCall;
use scorel_session::MutationCommand;

use crate::rpc::call_error::CallError;

/// The random base of the ids of clients that sent none; see [`client`].
static ANONYMOUS: LazyLock<[u8; 16]> = LazyLock::new(|| match ClientId::generate() {
    ClientId::Client(bytes) => bytes,
    ClientId::Daemon => [0; 16],
});

/// The calling client. One that sent no id in `hello` gets an id of its connection: a random base xor
/// the connection's number, so no two connections share one, even across restarts.
pub(super) fn client(call: &RpcCall) -> ClientId {
    call.caller().client_id.unwrap_or_else(|| {
        let mut bytes = *ANONYMOUS;
        let connection = call.connection().id().to_be_bytes();
        for (byte, number) in bytes[8..].iter_mut().zip(connection) {
            *byte ^= number;
        }
        ClientId::Client(bytes)
    })
}

/// The command of a mutating call. `params` are without `commandId`: their digest must be equal when
/// the command is sent again.
pub(super) fn command<M: Method>(
    call: &RpcCall,
    id: Option<CommandId>,
    params: &M::Params,
) -> Result<MutationCommand, CallError> {
    // Receipts are found by client and command: a client that reconnects without an id could not find
    // its own again.
    if id.is_some() && call.caller().client_id.is_none() {
        let text = "`commandId` needs a client id: call `hello` with `clientId` first";
        return Err(CallError::invalid(text));
    }
    Ok(MutationCommand::new(client(call), id, M::NAME, params))
}
