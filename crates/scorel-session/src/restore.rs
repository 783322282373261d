//! The task of a restore of files.
//!
//! In: a record that says which files get which state. Out: the record of its end. Everything that it
//! needs is in the first record, so a daemon that finds one without an end does the same again.

use std::mem;
use std::sync::Arc;

use scorel_engine::{StopCause, StopSignal};
use scorel_proto::{FailedFile, FileChange, FilesRestoredBody, OpenRestore, RestoreProgress};
use tokio::sync::watch;

use crate::lane::Lane;
use crate::{SessionError, blocking};

pub(crate) async fn run(lane: Arc<Lane>, open: OpenRestore, stop: StopSignal) {
    let ended = match carry_out(&lane, open, stop).await {
        Ok(failed) => {
            let body = FilesRestoredBody {
                event_id: open.event_id,
                failed,
            };
            lane.persist(move |section| section.end_restore(body.clone()))
                .await
        }
        Err(error) => Err(error),
    };
    if let Err(error) = ended {
        tracing::error!(session = %lane.id(), %error, "a restore of files has no end");
        lane.abandon_job();
    }
}

async fn carry_out(
    lane: &Arc<Lane>,
    open: OpenRestore,
    stop: StopSignal,
) -> Result<Vec<FailedFile>, SessionError> {
    let event = lane.restore_record(open).await?;
    let files = event.body.restored_files().unwrap_or_default().to_vec();
    let total = files.len() as u64;
    // The files do not wait for the lane: only the newest count is shown.
    let (done, shown) = watch::channel(0);
    let restoring = Arc::clone(lane);
    let restored = blocking(move || match restoring.setup().files(restoring.header()) {
        Ok(recorder) => {
            let goes_on = |count| {
                done.send_if_modified(|done| mem::replace(done, count) != count);
                // A daemon that stops does not leave half of it to the next.
                stop.cause() != Some(StopCause::Cancelled)
            };
            recorder.restore(&open.event_id.to_string(), &files, goes_on)
        }
        Err(error) => all_failed(&files, &error.to_string()),
    });
    let progress = |done: usize| RestoreProgress {
        event_id: open.event_id,
        done: done as u64,
        total,
    };
    tokio::join!(restored, show(lane, shown, progress)).0
}

async fn show(
    lane: &Arc<Lane>,
    mut done: watch::Receiver<usize>,
    progress: impl Fn(usize) -> RestoreProgress,
) {
    while done.changed().await.is_ok() {
        let count = *done.borrow_and_update();
        lane.show_progress(progress(count)).await;
    }
}

fn all_failed(files: &[FileChange], error: &str) -> Vec<FailedFile> {
    let failed = |change: &FileChange| FailedFile {
        path: change.path.clone(),
        error: format!("the project's files cannot be used: {error}"),
    };
    files.iter().map(failed).collect()
}
