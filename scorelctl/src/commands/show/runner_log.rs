use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use scorel_proto::{Event, GetBlob, GetBlobParams, PersistentBody, SessionId};

use crate::daemon::DaemonClient;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::render::Transcript;

/// Shows what a runner wrote to its log in a turn, if the event is the end of its run.
pub(super) async fn show(
    event: &Event,
    session_id: SessionId,
    control: &mut DaemonClient,
    (transcript, output): (&mut Transcript, &mut Output),
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
    let params = GetBlobParams {
        session_id,
        sha256: log.blob.clone(),
        offset: None,
        length: None,
    };
    let blob = control.call::<GetBlob>(&params).await?;
    let bytes = STANDARD.decode(&blob.data).map_err(|error| {
        let message = format!("the daemon sent an invalid blob: {error}");
        Failure::new(Exit::Internal, "protocol", message)
    })?;
    if log.dropped_bytes > 0 {
        let text = format!("log: the first {} bytes were not kept", log.dropped_bytes);
        transcript.note(&text, output)?;
    }
    for line in String::from_utf8_lossy(&bytes).lines() {
        transcript.note(&format!("log: {line}"), output)?;
    }
    Ok(())
}
