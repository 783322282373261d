use std::collections::BTreeSet;
use std::io::{BufWriter, Seek as _, SeekFrom, Write as _};

use scorel_proto::{BlobHash, Event, GetBlob, GetBlobParams, Session, SessionId};
use scorel_transfer::bundle::{
    BUNDLE_FORMAT, BundleEntry, BundleInfo, BundleWriter, EVENTS, INFO, sha256_of,
};

use super::export_file::ExportFile;
use crate::commands::blob;
use crate::commands::records::Records;
use crate::daemon::DaemonClient;
use crate::failure::Failure;

/// Writes everything that belongs to the session. Its log goes to a temporary file first: the list of
/// hashes comes before it.
pub(super) async fn write(
    session: &Session,
    control: &mut DaemonClient,
    file: &mut ExportFile,
) -> Result<(), Failure> {
    let session_id = session.session_id;
    let mut log = BufWriter::new(tempfile::tempfile()?);
    let mut named = BTreeSet::new();
    let mut records = Records::all(session_id);
    while let Some((record, event)) = records.next(control).await? {
        writeln!(log, "{}", record.text())?;
        if let Event::Persistent(event) = event {
            event.body.visit_blobs(&mut |hash| {
                named.insert(hash.clone());
            });
        }
    }
    let mut log = log.into_inner().map_err(|error| error.into_error())?;
    log.seek(SeekFrom::Start(0))?;
    let (sha256, log_size) = sha256_of(&log)?;
    log.seek(SeekFrom::Start(0))?;
    let info = serde_json::to_vec(&BundleInfo {
        format: BUNDLE_FORMAT,
        session: session.clone(),
    });
    let info = info.map_err(std::io::Error::from)?;
    let mut entries = vec![
        BundleEntry {
            name: INFO.to_owned(),
            sha256: sha256_of(&info[..])?.0,
            size: info.len() as u64,
        },
        BundleEntry {
            name: EVENTS.to_owned(),
            sha256,
            size: log_size,
        },
    ];
    let blobs = present(session_id, named, control).await?;
    entries.extend(
        blobs
            .iter()
            .map(|(hash, size)| BundleEntry::blob(hash, *size)),
    );
    let mut bundle = BundleWriter::new(file, &entries)?;
    bundle.add(INFO, info.len() as u64, &info[..])?;
    bundle.add(EVENTS, log_size, log)?;
    for (hash, _) in &blobs {
        let content = blob::content(session_id, hash, control).await?;
        let name = BundleEntry::blob(hash, 0).name;
        bundle.add(&name, content.len() as u64, &content[..])?;
    }
    bundle.finish()?;
    Ok(())
}

/// The blobs that are there, with their sizes.
async fn present(
    session_id: SessionId,
    named: BTreeSet<BlobHash>,
    control: &mut DaemonClient,
) -> Result<Vec<(BlobHash, u64)>, Failure> {
    let mut present = Vec::new();
    for hash in named {
        let params = GetBlobParams {
            session_id,
            sha256: hash.clone(),
            offset: None,
            length: Some(0),
        };
        let part = control.call::<GetBlob>(&params).await;
        if let Some(part) = blob::unless_missing(part.map_err(Failure::from))? {
            present.push((hash, part.size));
        }
    }
    Ok(present)
}
