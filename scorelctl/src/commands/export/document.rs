use scorel_proto::{BlobHash, Event, PersistentEvent, Session, SessionId};
use scorel_transfer::render::{BlobContents, DocumentFormat, DocumentWriter};

use super::export_file::ExportFile;
use crate::commands::blob;
use crate::commands::records::Records;
use crate::daemon::DaemonClient;
use crate::failure::Failure;

/// Writes the conversation as a document.
pub(super) async fn write(
    format: DocumentFormat,
    session: &Session,
    control: &mut DaemonClient,
    file: &mut ExportFile,
) -> Result<(), Failure> {
    let session_id = session.session_id;
    let mut document = DocumentWriter::new(file, format, session)?;
    let mut records = Records::active_path(session_id, control).await?;
    while let Some((_, event)) = records.next(control).await? {
        if let Event::Persistent(event) = event {
            let blobs = contents(session_id, &event, control).await?;
            document.event(&event, &blobs)?;
        }
    }
    document.finish()?;
    Ok(())
}

/// The blobs that an event names, except missing ones.
async fn contents(
    session_id: SessionId,
    event: &PersistentEvent,
    control: &mut DaemonClient,
) -> Result<BlobContents, Failure> {
    let mut hashes: Vec<BlobHash> = Vec::new();
    event
        .body
        .visit_blobs(&mut |hash| hashes.push(hash.clone()));
    let mut contents = BlobContents::new();
    for hash in hashes {
        let content = blob::content(session_id, &hash, control).await;
        if let Some(content) = blob::unless_missing(content)? {
            contents.insert(hash, content);
        }
    }
    Ok(contents)
}
