use std::path::PathBuf;

use clap::{Args, Subcommand};
use scorel_proto::QueueKind;

use super::one_of::one_of;
use super::target::TargetArgs;

#[derive(Debug, Args)]
pub(crate) struct SteerArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Cancel the running turn, and start one with this message
    #[arg(long)]
    pub(crate) now: bool,
    /// Attach a file of the project, text or a picture; may be repeated
    #[arg(long = "file", value_name = "PATH")]
    pub(crate) files: Vec<PathBuf>,
    /// The message, as `send` takes it; `-`, or no text when standard input is not a terminal, reads
    /// standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,
}

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
        /// What becomes of the message
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
