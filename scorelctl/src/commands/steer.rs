//! Sends a message to the running turn.

use std::path::PathBuf;

use clap::Args;
use scorel_proto::{
    Cancel, CancelParams, Content, QueueKind, SendMessageParams, SendMessageResult, SessionId,
    WhileRunning,
};

use super::input::{message_text, say_unread};
use super::outgoing::MessageDraft;
use super::queue_pause;
use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::daemon::DaemonClient;
use crate::failure::Failure;
use crate::target;

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

pub(super) async fn run(args: &SteerArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let draft = MessageDraft::of(message_text(&args.text, "steer")?, &args.files);
    let session_id = cli.session_id(&args.target).await?;
    let session = cli.session(session_id).await?;
    let dir = target::work_dir(&mut cli.daemon, &session).await?;
    let while_running = if args.now {
        cancel(&mut cli.daemon, session_id).await?;
        // Accepted after the cancel, it keeps the queue from pausing and runs next.
        WhileRunning::FollowUp
    } else {
        WhileRunning::Steer
    };
    let params = SendMessageParams {
        session_id,
        content: Content(Vec::new()),
        attachments: Vec::new(),
        while_running: Some(while_running),
        parent_event_id: None,
        expected_leaf_id: None,
        model: None,
        runner: None,
        mode: None,
        channel: None,
        command_id: None,
    };
    let (answer, files) = draft.send(params, &dir, &cli.daemon).await?;
    files.say(cli.output)?;
    say_unread(cli.output)?;
    cli.result(&answer, |output| output.line(&description(&answer)))?;
    if let SendMessageResult::Queued {
        queue: QueueKind::FollowUp,
        ..
    } = answer
        && let Some((_, text)) = queue_pause::of_message(&session, &mut cli.daemon).await
    {
        cli.note(&text)?;
    }
    Ok(())
}

/// Cancels the turn that runs now, not one that starts in the meantime.
async fn cancel(control: &mut DaemonClient, session_id: SessionId) -> Result<(), Failure> {
    let session = target::get(control, session_id).await?;
    let Some(turn_id) = session.turn_id else {
        return Ok(());
    };
    let params = CancelParams {
        children: None,
        session_id,
        expected_turn_id: Some(turn_id),
        clear_queue: None,
        command_id: None,
    };
    control.call::<Cancel>(&params).await?;
    Ok(())
}

/// Says whether a message started a turn, or which queue it is in.
pub(super) fn description(answer: &SendMessageResult) -> String {
    match answer {
        SendMessageResult::Accepted { turn_id, .. } => {
            format!("no turn was running: the message started {turn_id}")
        }
        SendMessageResult::Queued {
            queue: QueueKind::Steer,
            ..
        } => "the turn reads it before its next model call".to_owned(),
        SendMessageResult::Queued {
            queue: QueueKind::FollowUp,
            position,
            ..
        } => format!("queued as a follow-up, number {}", position + 1),
    }
}
