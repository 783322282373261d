use scorel_proto::{Event, PersistentBody, SessionId};

use crate::cli::Cli;
use crate::commands::blob;
use crate::failure::Failure;
use crate::render::Transcript;

/// Shows what a runner wrote to its log in a turn, if the event is the end of its run.
pub(super) async fn show(
    event: &Event,
    session_id: SessionId,
    transcript: &mut Transcript,
    cli: &mut Cli<'_>,
) -> Result<(), Failure> {
    let Event::Persistent(event) = event else {
        return Ok(());
    };
    let PersistentBody::RunnerExit(body) = &event.body else {
        return Ok(());
    };
    let Some(log) = &body.log else {
        return Ok(());
    };
    let text = blob::text(session_id, &log.blob, &mut cli.daemon).await?;
    if log.dropped_bytes > 0 {
        let note = format!("log: the first {} bytes were not kept", log.dropped_bytes);
        transcript.note(&note, cli.output)?;
    }
    for line in text.lines() {
        transcript.note(&format!("log: {line}"), cli.output)?;
    }
    Ok(())
}
