use scorel_inbound::{ChannelSender, accept_source};
use scorel_proto::{Method, RpcError, SendMessage, SendMessageParams};
use scorel_session::MutationCommand;

use crate::host::Host;
use crate::rpc::call_error::Reply;

/// The command of a message that comes through a channel, by which it is accepted once.
pub(super) fn channel_command(
    host: &Host,
    sender: ChannelSender<'_>,
    params: &SendMessageParams,
) -> Reply<MutationCommand> {
    let accepted = accept_source(sender, &host.config().channels.enabled, params);
    let (author, id) = accepted.map_err(RpcError::from)?;
    let id = Some(id);
    Ok(MutationCommand::new(author, id, SendMessage::NAME, params))
}
