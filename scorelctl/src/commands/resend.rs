//! Sends a message again, edited or not, in the place of the one before.

use std::path::PathBuf;

use clap::Args;
use scorel_proto::{
    Block, Event, Message, MessageBody, PersistentBody, SessionId, TreeEntry, WhileRunning,
};

use super::input::message_text;
use super::outgoing::{MessageDraft, besides_text};
use super::records::events_before;
use super::send::{self, MessagePlace};
use crate::args::{OnAsk, TargetArgs};
use crate::cli::Cli;
use crate::commands::send::SendArgs;
use crate::daemon::DaemonClient;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::selector::SessionSelector;
use crate::turn_selector::TurnSelector;
use crate::turn_tree::TurnTree;

#[derive(Debug, Args)]
pub(crate) struct ResendArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// The turn whose message is replaced: a number of turns back, as `scorelctl tree` shows it, or
    /// the beginning or end of the id of its last event
    #[arg(
        long,
        value_name = "EVENT|-N",
        default_value = "0",
        allow_negative_numbers = true
    )]
    pub(crate) turn: TurnSelector,
    /// Switch the session to this model
    #[arg(long, short)]
    pub(crate) model: Option<String>,
    /// Print the session id and exit once the message is accepted
    #[arg(long, short)]
    pub(crate) detach: bool,
    /// The answer when a tool needs permission [default: ask on a terminal, else deny]
    #[arg(long, value_name = "WHAT")]
    pub(crate) on_ask: Option<OnAsk>,
    /// Attach a file of the project, text or a picture; may be repeated
    #[arg(long = "file", value_name = "PATH")]
    pub(crate) files: Vec<PathBuf>,
    /// The new message, as `send` takes it; `-` reads standard input [default: the same message
    /// again]. What was attached stays
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,
}

pub(super) async fn run(args: &ResendArgs, cli: &mut Cli<'_>) -> Result<Exit, Failure> {
    let session_id = cli.session_id(&args.target).await?;
    let tree = TurnTree::read(&mut cli.daemon, session_id).await?;
    let message = original(args, &tree)?;
    let place = MessagePlace {
        parent: message.parent_id,
        leaf: tree.leaf,
    };
    let before = content(&mut cli.daemon, session_id, message).await?;
    let (text, kept) = match args.text.as_slice() {
        [] => (None, before),
        words => (Some(message_text(words, "resend")?), besides_text(&before)),
    };
    let draft = MessageDraft {
        text,
        kept,
        files: args.files.clone(),
    };
    let args = SendArgs {
        session: Some(SessionSelector::Id(session_id)),
        project: args.target.project.clone(),
        model: args.model.clone(),
        detach: args.detach,
        while_running: WhileRunning::Reject,
        on_ask: args.on_ask,
        ..SendArgs::default()
    };
    let link = cli.daemon.link().clone();
    Box::pin(send::run_at(args, draft, Some(place), link, cli.output)).await
}

/// The message of the turn that is to be repeated.
fn original<'a>(args: &ResendArgs, tree: &'a TurnTree) -> Result<&'a TreeEntry, Failure> {
    let none = |message: &str| Failure::refused("invalid_event_id", message);
    let end = tree.choose(&args.turn)?;
    let end = end.ok_or_else(|| none("there is no message before the beginning"))?;
    let user = end.user_event_id.and_then(|id| tree.node(id));
    user.ok_or_else(|| none("no message started that turn"))
}

/// The content of the message, images and attached files included.
async fn content(
    control: &mut DaemonClient,
    session_id: SessionId,
    message: &TreeEntry,
) -> Result<Vec<Block>, Failure> {
    let page = events_before(control, session_id, message.seq.next(), 1).await?;
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
    Err(Failure::refused("invalid_event_id", text))
}
