use scorel_proto::{EncodedEvent, Event, PersistentBody, SessionId};

use crate::cli::Cli;
use crate::commands::records::{decoded, events_before};
use crate::daemon::DaemonClient;
use crate::failure::Failure;
use crate::target;

/// Prints the newest instruction snapshot, with which each request begins; as the event with `--json`.
pub(super) async fn show(session_id: SessionId, cli: &mut Cli<'_>) -> Result<(), Failure> {
    let Some(encoded) = newest(session_id, &mut cli.daemon).await? else {
        let message = "the session has no prompt yet";
        let failure = Failure::refused("no_prompt", message);
        return Err(failure.hint("its first turn puts the prompt together"));
    };
    if cli.output.json {
        cli.output.raw_line(encoded.text())?;
    } else if let Some(text) = prompt(&encoded)? {
        cli.output.line(text.trim_end())?;
    }
    Ok(())
}

/// A compaction and a refresh make new ones, so the search begins at the end.
async fn newest(
    session_id: SessionId,
    control: &mut DaemonClient,
) -> Result<Option<EncodedEvent>, Failure> {
    let session = target::get(control, session_id).await?;
    let mut before = session.current_seq.next();
    loop {
        let page = events_before(control, session_id, before, 1000).await?;
        for encoded in page.events.iter().rev() {
            if prompt(encoded)?.is_some() {
                return Ok(Some(encoded.clone()));
            }
        }
        match page.events.first() {
            Some(first) if page.more => before = decoded(first)?.seq(),
            _ => return Ok(None),
        }
    }
}

fn prompt(encoded: &EncodedEvent) -> Result<Option<String>, Failure> {
    Ok(match decoded(encoded)? {
        Event::Persistent(event) => match &event.body {
            PersistentBody::InstructionSnapshot(body) => Some(body.text()),
            _ => None,
        },
        _ => None,
    })
}
