use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use scorel_proto::{BlobHash, GetBlob, GetBlobParams, SessionId};

use crate::daemon::DaemonClient;
use crate::exit::Exit;
use crate::failure::Failure;

/// The text of a blob of a session. Invalid UTF-8 is replaced.
pub(super) async fn text(
    session_id: SessionId,
    hash: &BlobHash,
    control: &mut DaemonClient,
) -> Result<String, Failure> {
    let bytes = content(session_id, hash, control).await?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The content of a blob; `None` if the blob is missing.
pub(super) fn unless_missing<T>(read: Result<T, Failure>) -> Result<Option<T>, Failure> {
    match read {
        Err(Failure::Report(report)) if report.code == "filesystem_error" => Ok(None),
        read => read.map(Some),
    }
}

/// A blob of a session.
pub(super) async fn content(
    session_id: SessionId,
    hash: &BlobHash,
    control: &mut DaemonClient,
) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    loop {
        let params = GetBlobParams {
            session_id,
            sha256: hash.clone(),
            offset: Some(bytes.len() as u64),
            length: None,
        };
        let part = control.call::<GetBlob>(&params).await?;
        let decoded = STANDARD.decode(&part.data).map_err(|error| {
            let message = format!("the daemon sent an invalid blob: {error}");
            Failure::new(Exit::Internal, "protocol", message)
        })?;
        bytes.extend_from_slice(&decoded);
        if decoded.is_empty() || bytes.len() as u64 >= part.size {
            return Ok(bytes);
        }
    }
}
