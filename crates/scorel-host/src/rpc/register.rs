use std::sync::Arc;

use scorel_proto::{
    AccessLevel, Discover, GetBlob, GetEvents, GetTree, ListModels, ListSessions, Method, Resync,
    RpcError, method_info,
};
use scorel_rpc::{DuplicateMethod, MethodKind, MethodSpec, RpcCall, Table};
use serde_json::value::RawValue;

use crate::host::Host;
use crate::rpc::call_error::{CallError, Reply};

/// Registers a method with typed parameters and result, which does the same for every client.
pub(super) fn method<M, F, R>(table: &mut Table<Host>, handler: F) -> Result<(), DuplicateMethod>
where
    M: Method,
    F: Fn(Arc<Host>, M::Params) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Reply<M::Result>> + Send + 'static,
{
    client_method::<M, _, _>(table, move |host, _, params| handler(host, params))
}

/// Registers a method whose handler has to know the call: the client, the connection, or when the reply
/// is written.
pub(super) fn client_method<M, F, R>(
    table: &mut Table<Host>,
    handler: F,
) -> Result<(), DuplicateMethod>
where
    M: Method,
    F: Fn(Arc<Host>, RpcCall, M::Params) -> R + Clone + Send + Sync + 'static,
    R: Future<Output = Reply<M::Result>> + Send + 'static,
{
    table.method(spec::<M>(MethodKind::Call), move |host, call, params| {
        let handler = handler.clone();
        async move {
            let result = handler(host, call, params.parse()?).await;
            Ok(encode::<M>(&result.map_err(RpcError::from)?)?)
        }
    })
}

/// Registers a method that begins a subscription. The handler returns the subscription's id.
pub(super) fn subscription<M, F, R>(
    table: &mut Table<Host>,
    handler: F,
) -> Result<(), DuplicateMethod>
where
    M: Method,
    F: Fn(Arc<Host>, RpcCall, M::Params) -> R + Copy + Send + Sync + 'static,
    R: Future<Output = Reply<Box<RawValue>>> + Send + 'static,
{
    table.method(
        spec::<M>(MethodKind::Subscribe),
        move |host, call, params| async move {
            let reply = handler(host, call, params.parse()?).await;
            reply.map_err(RpcError::from)
        },
    )
}

fn spec<M: Method>(kind: MethodKind) -> MethodSpec {
    let info = method_info(M::NAME);
    MethodSpec {
        name: M::NAME,
        // A method that is missing in the protocol's table gets the strictest access.
        access: info.map_or(AccessLevel::Admin, |info| info.access),
        kind,
        params: info.map_or(&[], |info| (info.param_names)()),
        reply: largest_reply(M::NAME),
    }
}

/// Upper bound of a method's reply in bytes, counted as in flight while it runs; 0 for small replies.
fn largest_reply(method: &str) -> usize {
    const MIB: usize = 1024 * 1024;
    match method {
        GetBlob::NAME => 6 * MIB,
        GetEvents::NAME => 4 * MIB,
        GetTree::NAME => 2 * MIB,
        Discover::NAME | ListModels::NAME | ListSessions::NAME | Resync::NAME => MIB,
        _ => 0,
    }
}

fn encode<M: Method>(result: &M::Result) -> Result<Box<RawValue>, CallError> {
    M::encode_result(result)
        .map_err(|error| CallError::Internal(format!("the result cannot be encoded: {error}")))
}
