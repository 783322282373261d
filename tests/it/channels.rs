//! Messages that come through channels, with the real daemon.

mod receiver;
mod schedules;
mod turns;

use scorel_client::{ClientError, Connection};
use scorel_proto::{
    ChannelSource, PermissionMode, RpcError, SendMessage, SendMessageParams, SendMessageResult,
    SessionId,
};

use crate::under_test::message;

/// A message of the channel `chat`.
fn through(session_id: SessionId, external_id: &str, text: &str) -> SendMessageParams {
    SendMessageParams {
        channel: Some(ChannelSource {
            channel: "chat".to_owned(),
            external_id: external_id.to_owned(),
            metadata: None,
            mode: PermissionMode::Readonly,
        }),
        ..message(session_id, text)
    }
}

/// The same, with a mode.
fn in_mode(params: SendMessageParams, mode: PermissionMode) -> SendMessageParams {
    SendMessageParams {
        channel: params.channel.map(|it| ChannelSource { mode, ..it }),
        ..params
    }
}

async fn deliver(client: &Connection, params: &SendMessageParams) -> SendMessageResult {
    client.call::<SendMessage>(params).await.unwrap()
}

async fn refused(client: &Connection, params: &SendMessageParams) -> RpcError {
    match client.call::<SendMessage>(params).await {
        Err(ClientError::Rpc(error)) => error,
        other => panic!("{other:?}"),
    }
}
