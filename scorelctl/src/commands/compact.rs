use clap::Args;
use scorel_client::{ClientAnchors, SessionStream, StreamItem};
use scorel_proto::{
    Compact, CompactParams, CompactResult, CompactionId, CompactionState, Event, PersistentBody,
    SessionId, SyncMarker,
};

use super::stream_end::stream_end;
use crate::args::TargetArgs;
use crate::cli::Cli;
use crate::daemon::{DaemonConnector, PATIENCE, new_command_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;

#[derive(Debug, Args)]
pub(crate) struct CompactArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Print the compaction's id and exit once it has begun
    #[arg(long, short)]
    pub(crate) detach: bool,
    /// Things that the summary should pay attention to
    #[arg(value_name = "INSTRUCTIONS")]
    pub(crate) instructions: Vec<String>,
}

/// Asks for a summary and waits until it is there.
pub(super) async fn run(args: &CompactArgs, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let session_id = cli.session_id(&args.target).await?;
    let instructions = args.instructions.join(" ");
    let params = CompactParams {
        session_id,
        instructions: (!instructions.is_empty()).then_some(instructions),
        command_id: Some(new_command_id()),
    };
    let begun = cli.call::<Compact>(&params).await?;
    if args.detach {
        let id = begun.compaction_id;
        return cli.result(&begun, |output| output.line(&id.to_string()));
    }
    let ended = wait(cli.daemon.link().clone(), session_id, &begun).await?;
    report(&ended, cli.output)
}

/// The event with which the compaction ended.
async fn wait(
    link: DaemonConnector,
    session_id: SessionId,
    begun: &CompactResult,
) -> Result<PersistentBody, Failure> {
    let anchors = ClientAnchors::new(begun.seq, None);
    let stream = SessionStream::open(link, session_id, anchors).await?;
    let mut stream = stream.give_up_after(PATIENCE);
    while let Some(item) = stream.next().await? {
        match item {
            StreamItem::Event(_, Event::Persistent(event))
                if ends(&event.body, begun.compaction_id) =>
            {
                return Ok(event.body);
            }
            StreamItem::Marker(marker) => {
                if let SyncMarker::End { reason, .. } = *marker {
                    stream_end(reason, &mut stream).map_err(closed)?;
                }
            }
            StreamItem::Event(..) | StreamItem::Reconnecting { .. } => {}
        }
    }
    Err(closed("the session was closed"))
}

fn closed(why: &str) -> Failure {
    let text = format!("{why} before the summary was made");
    Failure::new(Exit::WaitFailed, "closed", text)
}

fn ends(body: &PersistentBody, id: CompactionId) -> bool {
    match body {
        PersistentBody::Compact(body) => body.compaction_id == id,
        PersistentBody::Compaction(body) => {
            body.compaction_id == id && body.state != CompactionState::Started
        }
        _ => false,
    }
}

fn report(ended: &PersistentBody, output: &mut Output) -> Result<(), Failure> {
    if let PersistentBody::Compact(body) = ended {
        let (before, after) = (body.tokens_before, body.tokens_after);
        let text = format!("{before} tokens became {after}");
        return output.result(ended, |output| output.line(&text));
    }
    let PersistentBody::Compaction(body) = ended else {
        return Ok(());
    };
    Err(match (&body.state, &body.error) {
        (CompactionState::Cancelled, _) => Failure::new(
            Exit::TurnCancelled,
            "cancelled",
            "the summary was cancelled",
        ),
        (_, Some(error)) => Failure::new(Exit::TurnFailed, "no_summary", &error.message)
            .maybe_hint(error.hint.as_ref()),
        _ => Failure::new(Exit::TurnFailed, "interrupted", "the daemon stopped"),
    })
}
