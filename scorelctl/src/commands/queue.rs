//! Lists the messages that wait, and changes them.

use std::io;

use clap::{Args, Subcommand};
use scorel_proto::{
    Block, Content, ErrorCode, QueueEdit, QueueItem, QueueItemId, QueueKind, RewriteQueue,
    RewriteQueueParams, Session, counted,
};
use serde_json::json;

use super::input::{MessageText, message_text};
use super::outgoing::{SentFiles, besides_text};
use super::queue_pause;
use super::runtimes::{SHOWN_CHARS, shortened};
use crate::args::{TargetArgs, one_of};
use crate::cli::Cli;
use crate::daemon::new_command_id;
use crate::failure::Failure;
use crate::id_part::IdPart;
use crate::output::Output;

#[derive(Debug, Args)]
#[command(subcommand_negates_reqs = true)]
pub(crate) struct QueueArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(subcommand)]
    pub(crate) command: Option<QueueCommand>,
}

/// A change of the queue. An item is named by its number in the list, or by its id, a prefix or a
/// suffix of it.
#[derive(Debug, Subcommand)]
pub(crate) enum QueueCommand {
    /// Add a message
    Add(NewItemArgs),
    /// Replace a message's text; what is attached to it stays
    Edit {
        /// Number in the list, or id
        item: String,
        /// The new text; `-` reads standard input
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Move a message to another place
    Move {
        /// Number in the list, or id
        item: String,
        /// The new number in the list, from 1
        #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        to: u32,
    },
    /// Remove messages
    Remove {
        /// Numbers in the list, or ids
        #[arg(required = true, value_name = "ITEM")]
        items: Vec<String>,
    },
    /// Make a message a steer or a follow-up
    Convert {
        /// Number in the list, or id
        item: String,
        /// The new kind of the message
        #[arg(value_parser = one_of(KINDS))]
        kind: QueueKind,
    },
    /// Remove all messages
    Clear,
    /// Pause the queue: no message of it starts a turn until `resume`
    Pause,
    /// Go on with a paused queue
    Resume,
}

#[derive(Debug, Args)]
pub(crate) struct NewItemArgs {
    /// Let the running turn read it, instead of giving it a turn of its own
    #[arg(long)]
    pub(crate) steer: bool,
    /// Its number in the list, from 1 [default: the end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) at: Option<u32>,
    /// Pause the queue too, so that the message waits for `scorelctl queue resume`
    #[arg(long)]
    pub(crate) hold: bool,
    /// The message; `-`, or no text when standard input is not a terminal, reads standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,
}

const KINDS: [(&str, &str, QueueKind); 2] = [
    (
        "follow-up",
        "It starts a turn of its own",
        QueueKind::FollowUp,
    ),
    (
        "steer",
        "The running turn reads it before its next model call",
        QueueKind::Steer,
    ),
];

const CHANGED: &str =
    "another client or the running turn has changed it; `scorelctl queue` shows it as it is now";

const PAUSED: &str = "the queue is paused; `scorelctl queue resume` goes on with it";

pub(super) async fn run(args: &QueueArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = cli.session_id(&args.target).await?;
    let session = cli.session(session_id).await?;
    let Some(command) = &args.command else {
        return list(&session, cli.output);
    };
    let ops = edits(command, &session.queue)?;
    let kept = match ops.as_slice() {
        [QueueEdit::Edit { content, .. }] => SentFiles::kept(&content.0),
        _ => SentFiles::default(),
    };
    if ops.is_empty() {
        return list(&session, cli.output);
    }
    let params = RewriteQueueParams {
        session_id,
        expected_version: session.queue_version,
        ops,
        command_id: Some(new_command_id()),
    };
    let answer = cli.call::<RewriteQueue>(&params).await;
    let answer =
        answer.map_err(|error| Failure::from(error).hint_for(ErrorCode::Conflict, CHANGED))?;
    kept.say(cli.output)?;
    cli.result(&answer, |output| rows(&answer.queue, output))?;
    let removed = session.queue.len().saturating_sub(answer.queue.len());
    let said = match command {
        QueueCommand::Add(_) => {
            let pause = queue_pause::of_message(&session, &mut cli.daemon).await;
            pause.map(|(_, text)| text)
        }
        QueueCommand::Pause if answer.queue.is_empty() => {
            Some("nothing is paused: no messages are queued".to_owned())
        }
        QueueCommand::Pause => Some(PAUSED.to_owned()),
        QueueCommand::Resume if !session.queue_paused => Some("it was not paused".to_owned()),
        QueueCommand::Resume => Some("the queue goes on".to_owned()),
        QueueCommand::Remove { .. } | QueueCommand::Clear => {
            Some(format!("removed {}", counted(removed, "message")))
        }
        _ => None,
    };
    said.map_or(Ok(()), |text| cli.note(&text))?;
    Ok(())
}

fn list(session: &Session, output: &mut Output) -> Result<(), Failure> {
    let listing = json!({
        "queue": session.queue,
        "queueVersion": session.queue_version,
        "queuePaused": session.queue_paused,
    });
    output.result(&listing, |output| rows(&session.queue, output))?;
    if session.queue.is_empty() {
        output.note("no messages are queued")?;
    } else if session.queue_paused {
        output.note(PAUSED)?;
    }
    Ok(())
}

fn rows(queue: &[QueueItem], output: &mut Output) -> io::Result<()> {
    let mut numbered = queue.iter().zip(1..);
    numbered.try_for_each(|(item, number): (_, usize)| {
        let kind = match item.kind {
            QueueKind::FollowUp => "follow-up",
            QueueKind::Steer => "steer",
        };
        let (id, text) = (item.queue_item_id, summary(&item.content));
        output.line(&format!("{number:>3}  {id}  {kind:<9}  {text}"))
    })
}

fn summary(content: &[Block]) -> String {
    let parts: Vec<String> = content.iter().map(Block::plain_text).collect();
    shortened(&parts.join(" "), SHOWN_CHARS)
}

fn edits(command: &QueueCommand, queue: &[QueueItem]) -> Result<Vec<QueueEdit>, Failure> {
    let remove = |queue_item_id| QueueEdit::Remove { queue_item_id };
    Ok(match command {
        QueueCommand::Add(args) => vec![added(args)?],
        QueueCommand::Edit { item, text } => {
            let queue_item_id = find(item, queue)?;
            let mut content = new_text(text)?;
            let is_it = |item: &&QueueItem| item.queue_item_id == queue_item_id;
            let before = queue.iter().find(is_it);
            let kept = before.map(|item| besides_text(&item.content));
            content.0.extend(kept.into_iter().flatten());
            vec![QueueEdit::Edit {
                queue_item_id,
                content,
            }]
        }
        QueueCommand::Move { item, to } => vec![QueueEdit::Move {
            queue_item_id: find(item, queue)?,
            position: to - 1,
        }],
        QueueCommand::Remove { items } => {
            let ids = items.iter().map(|item| find(item, queue));
            ids.map(|id| id.map(remove)).collect::<Result<_, _>>()?
        }
        QueueCommand::Convert { item, kind } => vec![QueueEdit::Convert {
            queue_item_id: find(item, queue)?,
            kind: *kind,
        }],
        QueueCommand::Clear => {
            let ids = queue.iter().map(|item| item.queue_item_id);
            ids.map(remove).collect()
        }
        QueueCommand::Pause => vec![QueueEdit::Pause {}],
        QueueCommand::Resume => vec![QueueEdit::Resume {}],
    })
}

fn added(args: &NewItemArgs) -> Result<QueueEdit, Failure> {
    let text = message_text(&args.text, "queue add")?.whole();
    Ok(QueueEdit::Add {
        kind: if args.steer {
            QueueKind::Steer
        } else {
            QueueKind::FollowUp
        },
        content: Content::from(text.as_str()),
        position: args.at.map(|number| number - 1),
        hold: args.hold.then_some(true),
    })
}

fn new_text(words: &[String]) -> Result<Content, Failure> {
    let text = MessageText::read(words)?;
    if text.is_blank() {
        return Err(Failure::usage("the text is empty")
            .hint("`scorelctl queue remove ITEM` removes a message"));
    }
    Ok(Content::from(text.whole().as_str()))
}

/// The number of characters of an id that are needed. Fewer could be a number that is not in the list any more.
const MIN_ID_PART: usize = 4;

/// The item with this number in the list, or the one whose id begins or ends like this.
fn find(wanted: &str, queue: &[QueueItem]) -> Result<QueueItemId, Failure> {
    if let Ok(number) = wanted.parse::<usize>()
        && let Some(item) = number.checked_sub(1).and_then(|index| queue.get(index))
    {
        return Ok(item.queue_item_id);
    }
    let part = IdPart::new(wanted, QueueItemId::PREFIX);
    let is_long = part.digits().len() >= MIN_ID_PART;
    let matches = |item: &&QueueItem| is_long && part.is_of(&item.queue_item_id);
    let mut found = queue.iter().filter(matches);
    match (found.next(), found.next()) {
        (Some(item), None) => Ok(item.queue_item_id),
        (Some(_), Some(_)) => Err(Failure::usage(format!(
            "`{wanted}` is ambiguous: more than one queued message has such an id"
        ))),
        (None, _) => Err(Failure::refused(
            "not_queued",
            format!("no queued message has the number or id `{wanted}`"),
        )
        .hint("`scorelctl queue` lists them")),
    }
}

#[cfg(test)]
mod tests {
    use scorel_proto::ClientId;

    use super::*;

    fn item() -> QueueItem {
        QueueItem {
            queue_item_id: QueueItemId::generate(),
            kind: QueueKind::FollowUp,
            content: vec![Block::text("later")],
            client_id: ClientId::Daemon,
            edited_by: None,
            meta: None,
            command_id: None,
            digest: None,
        }
    }

    #[test]
    fn an_item_is_named_by_its_number_or_by_either_end_of_its_id() {
        let queue = [item(), item()];
        let second = queue[1].queue_item_id;
        let id = second.to_string();
        let suffix = id[id.len() - 8..].to_lowercase();
        for wanted in ["2", id.as_str(), suffix.as_str()] {
            assert_eq!(find(wanted, &queue).expect(wanted), second);
        }
        for wanted in ["0", "3", "que_", "nonsense", ""] {
            assert!(find(wanted, &queue).is_err(), "{wanted}");
        }
    }

    #[test]
    fn a_long_message_is_cut_in_the_list() {
        let text = summary(&[Block::text("ü\n".repeat(100))]);
        assert_eq!(text.chars().count(), SHOWN_CHARS + 1);
        assert!(!text.contains('\n'));
    }
}
