//! Sends a message again, edited or not, in the place of the one before.

use scorel_proto::{
    Block, Event, EventId, GetEvents, GetEventsParams, Message, MessageBody, PersistentBody, Seq,
    SessionId, WhileRunning,
};

use super::input::message_text;
use super::outgoing::{MessageDraft, besides_text};
use super::send::{self, MessagePlace};
use crate::args::{ResendArgs, SendArgs};
use crate::cli::Cli;
use crate::daemon::DaemonClient;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::selector::SessionSelector;
use crate::turn_tree::TurnTree;

pub(super) async fn run(args: ResendArgs, cli: &mut Cli<'_>) -> Result<Exit, Failure> {
    let session_id = cli.session_id(&args.target).await?;
    let tree = TurnTree::read(&mut cli.daemon, session_id).await?;
    let message = original(&args, &tree)?;
    let place = MessagePlace {
        parent: message.parent,
        leaf: tree.leaf,
    };
    let before = content(&mut cli.daemon, session_id, message).await?;
    let draft = if args.text.is_empty() {
        MessageDraft {
            text: None,
            kept: before,
            files: args.files,
        }
    } else {
        MessageDraft {
            text: Some(message_text(&args.text, "resend")?),
            kept: besides_text(&before),
            files: args.files,
        }
    };
    let args = SendArgs {
        session: Some(SessionSelector::Id(session_id)),
        project: args.target.project,
        model: args.model,
        runner: None,
        tools: None,
        detach: args.detach,
        timeout: None,
        while_running: WhileRunning::Reject,
        on_ask: args.on_ask,
        files: Vec::new(),
        text: Vec::new(),
    };
    let link = cli.daemon.link().clone();
    send::run_at(args, draft, Some(place), link, cli.output).await
}

/// The message of the turn that is to be repeated.
#[derive(Clone, Copy)]
struct OriginalMessage {
    id: EventId,
    seq: Seq,
    parent: Option<EventId>,
}

fn original(args: &ResendArgs, tree: &TurnTree) -> Result<OriginalMessage, Failure> {
    let none = |message: &str| Failure::new(Exit::NotAccepted, "invalid_event_id", message);
    let end = tree.choose(&args.turn)?;
    let end = end.ok_or_else(|| none("there is no message before the beginning"))?;
    let user = end.user_event_id.and_then(|id| tree.node(id));
    let user = user.ok_or_else(|| none("no message started that turn"))?;
    Ok(OriginalMessage {
        id: user.id,
        seq: user.seq,
        parent: user.parent_id,
    })
}

/// The content of the message, images and attached files included.
async fn content(
    control: &mut DaemonClient,
    session_id: SessionId,
    message: OriginalMessage,
) -> Result<Vec<Block>, Failure> {
    let before = Seq::new(message.seq.get().saturating_add(1));
    let params = GetEventsParams {
        session_id,
        after_seq: None,
        before_seq: before,
        limit: Some(1),
    };
    let page = control.call::<GetEvents>(&params).await?;
    for event in &page.events {
        if let Ok(Event::Persistent(event)) = event.decode()
            && event.id == message.id
            && let PersistentBody::Message(MessageBody {
                message: Message::User(user),
                ..
            }) = event.body
        {
            return Ok(user.content);
        }
    }
    let text = format!("{} cannot be read", message.id);
    Err(Failure::new(Exit::NotAccepted, "invalid_event_id", text))
}
